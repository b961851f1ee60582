// The step trace outside of the engine: GET /debug/steps, the file, and the export, which is held against the format that
// Perfetto documents.
#include "server/trace/chrome_trace.h"
#include "server/trace/step_trace_file.h"
#include "tests/engine/running_engine.h"
#include "tests/server/test_server.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mie::test {
namespace {

namespace dom = simdjson::dom;
namespace fs = std::filesystem;

std::string temporary(const char* name) {
  return (fs::temp_directory_path() / (std::string(name) + std::to_string(::getpid()))).string();
}

struct Span {
  std::string name, phase;
  std::int64_t process = 0, thread = 0;
  double begin = 0, end = 0;  // microseconds
};

// Every event of an export; what the format asks of each is checked here.
std::vector<Span> events_of(const std::string& exported) {
  dom::parser parser;
  const simdjson::padded_string padded(exported);
  const dom::element root = parser.parse(padded);
  std::vector<Span> spans;
  for (const dom::element event : dom::array(root["traceEvents"])) {
    Span span;
    span.name = std::string(std::string_view(event["name"]));
    span.phase = std::string(std::string_view(event["ph"]));
    span.process = event["pid"];
    span.thread = event["tid"];
    EXPECT_EQ(span.phase.size(), 1U);
    EXPECT_NE(std::string_view("XiCM").find(span.phase), std::string_view::npos) << span.phase;
    if (span.phase == "M") {
      EXPECT_FALSE(std::string_view(event["args"]["name"]).empty());
    } else {
      span.begin = event["ts"];
      EXPECT_GE(span.begin, 0);
      span.end = span.begin;
    }
    if (span.phase == "X") {
      const double length = event["dur"];
      EXPECT_GE(length, 0);
      span.end += length;
    }
    if (span.phase == "i") EXPECT_EQ(std::string_view(event["s"]), "t");
    spans.push_back(span);
  }
  return spans;
}

// Spans of a track follow each other or nest: what Perfetto needs to draw them.
void expect_tracks_are_drawable(const std::vector<Span>& all) {
  constexpr double kRounding = 0.0005;  // stamps have three decimals
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Span>> tracks;
  for (const Span& span : all) {
    if (span.phase == "X") tracks[{span.process, span.thread}].push_back(span);
  }
  for (auto& [track, spans] : tracks) {
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::vector<Span> open;
    for (const Span& span : spans) {
      while (!open.empty() && open.back().end <= span.begin + kRounding) open.pop_back();
      if (!open.empty()) {
        EXPECT_EQ(track.first, 1) << span.name << " overlaps " << open.back().name << " of request " << track.second;
        EXPECT_LE(span.end, open.back().end + kRounding) << span.name << " outlasts " << open.back().name;
      }
      open.push_back(span);
    }
  }
}

int n_named(const std::vector<Span>& spans, const std::string& name, std::int64_t process) {
  return static_cast<int>(std::count_if(spans.begin(), spans.end(), [&](const Span& span) {
    return span.name == name && span.process == process && span.phase == "X";
  }));
}

StepLines lines_of(const std::string& path) {
  std::ifstream in(path);
  return read_step_lines(in).value();
}

TEST(DebugSteps, TheLastStepsOfARequest) {
  TestServer server;
  ASSERT_EQ(server.connect().post("/v1/completions", R"({"prompt":"hello","max_tokens":7,"temperature":0})").status, 200);
  server.expect_idle();
  const auto answer = server.connect().get("/debug/steps?last=3");
  ASSERT_EQ(answer.status, 200);
  dom::parser parser;
  const simdjson::padded_string padded(answer.body);
  const dom::element root = parser.parse(padded);
  EXPECT_EQ(std::int64_t(root["n_committed"]), 7);  // the prompt's five tokens and the first new one are one step
  ASSERT_EQ(dom::array(root["data"]).size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const dom::element step = dom::array(root["data"]).at(i);
    EXPECT_EQ(std::int64_t(step["step"]), static_cast<std::int64_t>(5 + i));
    EXPECT_EQ(std::int64_t(step["decode"]), 1);
    EXPECT_EQ(std::int64_t(step["sequences"].at(0)["first"]), static_cast<std::int64_t>(8 + i));
  }
  EXPECT_TRUE(bool(dom::array(root["data"]).at(2)["sequences"].at(0)["ended"]));
  EXPECT_EQ(server.connect().get("/debug/steps").status, 200);
  EXPECT_EQ(server.connect().post("/debug/steps", "{}").status, 405);
}

TEST(DebugSteps, ABadCountIsRefused) {
  TestServer server;
  for (const char* last : {"0", "-1", "x", "", "3x", "99999999999"}) {
    EXPECT_EQ(server.connect().get(std::string("/debug/steps?last=") + last).status, 400) << last;
  }
  TestServer loading({.loaded = false});
  EXPECT_EQ(loading.connect().get("/debug/steps").status, 503);
}

TEST(StepTraceFile, HasEveryStepAndEvent) {
  const std::string path = temporary("mie-steps-");
  RunningEngine running({.n_blocks = 12});
  running.engine.start();
  auto file = StepTraceFile::open(path).value();
  file->start(running.engine);
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 24; ++i) replies.push_back(running.ask(make_request(i, 4 + i % 13, 3 + i % 20)));
  for (auto& reply : replies) reply.get();
  const auto cancelled = running.submit(make_request(99, 8, 40));
  running.engine.release(cancelled->id(), Outcome::kClientGone, 0);
  ASSERT_TRUE(running.settle());
  file->stop();

  const StepLines lines = lines_of(path);
  fs::remove(path);
  EXPECT_EQ(lines.n_lost_steps + lines.n_lost_events, 0);
  EXPECT_EQ(std::ssize(lines.steps), static_cast<std::int64_t>(running.metrics().value("mie_steps_total")));
  const auto count = [&](RequestEvent::Kind kind) {
    return std::count_if(lines.events.begin(), lines.events.end(), [&](const RequestEvent& e) { return e.kind == kind; });
  };
  EXPECT_EQ(count(RequestEvent::Kind::kSubmitted), 25);
  EXPECT_EQ(count(RequestEvent::Kind::kEnded), 25);
  EXPECT_EQ(count(RequestEvent::Kind::kPreempted), static_cast<int>(running.metrics().sum("vllm:num_preemptions_total")));
  EXPECT_GT(count(RequestEvent::Kind::kPreempted), 0);

  const auto exported = events_of(chrome_trace(lines));
  expect_tracks_are_drawable(exported);
  EXPECT_EQ(n_named(exported, "step", 1), std::ssize(lines.steps));
  EXPECT_EQ(n_named(exported, "run", 1), std::ssize(lines.steps));
  EXPECT_EQ(n_named(exported, "queued", 2), 25);
  EXPECT_EQ(n_named(exported, "preempted", 2), count(RequestEvent::Kind::kPreempted));
}

TEST(StepTraceFile, AnUnwritablePathIsAnError) {
  const auto file = StepTraceFile::open("/nonexistent/steps.jsonl");
  ASSERT_TRUE(file.has_error());
  EXPECT_EQ(file.error().code, Errc::kConfig);
}

// Two requests by hand; times in microseconds. 1: queued 0-10, a step of 8 prefill rows 10-30, of 2 more 30-50, decode 50-90,
// the last of which ends it at 88. 2: queued 5-30, prefill 30-50, evicted at 52, back in the step at 70.
constexpr const char* kByHand = R"({"mie_step_trace":1,"version":"0","commit":"0","step_ring":1024}
{"event":"submitted","id":1,"at_ns":1000,"step":0,"arrival_ns":900,"n_prompt":10}
{"event":"submitted","id":2,"at_ns":6000,"step":0,"arrival_ns":6000,"n_prompt":4}
{"event":"preempted","id":2,"at_ns":53000,"step":3}
{"event":"ended","id":1,"at_ns":89000,"step":4,"n_generated":3,"reason":"length"}
{"step":1,"begin_ns":11000,"plan_ns":1000,"run_ns":18000,"commit_ns":1000,"rows":8,"seqs":1,"prefill":8,"sequences":[{"id":1,"first":0,"n":8,"prefill":8,"joined":true}]}
{"step":2,"begin_ns":31000,"plan_ns":1000,"run_ns":18000,"commit_ns":1000,"rows":6,"seqs":2,"prefill":6,"sequences":[{"id":1,"first":8,"n":2,"prefill":2,"sampled":true},{"id":2,"first":0,"n":4,"prefill":4,"sampled":true,"joined":true}]}
{"step":3,"begin_ns":51000,"plan_ns":3000,"run_ns":16000,"commit_ns":1000,"rows":1,"seqs":1,"decode":1,"evicted":1,"sequences":[{"id":2,"preempted":true},{"id":1,"first":10,"n":1,"sampled":true}]}
{"step":4,"begin_ns":71000,"plan_ns":1000,"run_ns":16000,"commit_ns":3000,"rows":6,"seqs":2,"decode":1,"recompute":4,"prefill":1,"sequences":[{"id":1,"first":11,"n":1,"sampled":true,"ended":true},{"id":2,"first":0,"n":5,"recompute":4,"prefill":1,"sampled":true,"joined":true}]}
{"lost_steps":2,"lost_events":1}
{"step":7,"begin_)";

TEST(ChromeTrace, TracksByHand) {
  std::istringstream in(kByHand);
  const auto lines = read_step_lines(in);
  ASSERT_TRUE(lines.has_value()) << lines.error().message;
  EXPECT_EQ(lines->n_lost_steps, 2);
  EXPECT_EQ(lines->n_lost_events, 1);
  const auto spans = events_of(chrome_trace(*lines));
  expect_tracks_are_drawable(spans);
  std::vector<std::string> tracks;
  for (const Span& span : spans) {
    if (span.phase != "X" || span.process != 2) continue;
    std::ostringstream text;
    text << span.thread << ' ' << span.name << ' ' << span.begin << '-' << span.end;
    tracks.push_back(text.str());
  }
  EXPECT_EQ(tracks, (std::vector<std::string>{"1 queued 0-10", "1 prefill 10-30", "1 prefill 30-50", "1 decode 50-88",
                                              "2 queued 5-30", "2 prefill 30-50", "2 preempted 52-70", "2 prefill 70-90"}));
}

TEST(StepLines, WhatIsNotATraceIsNamedByItsLine) {
  const std::string head = "{\"mie_step_trace\":1}\n";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "not a file of --step-trace"},
      {"{\"mie_step_trace\":2}\n", "line 1: not a file of --step-trace"},
      {"hello\n", "line 1: "},
      {head + "{\"step\":1}\n", "line 2: "},
      {head + "{\"event\":\"sneezed\",\"id\":1,\"at_ns\":1,\"step\":1}\n", "line 2: event is \"sneezed\""},
      {head + R"({"step":1,"begin_ns":-5,"plan_ns":0,"run_ns":0,"commit_ns":0})" + "\n", "line 2: begin_ns"},
      {head + R"({"step":1,"begin_ns":5,"plan_ns":0,"run_ns":0,"commit_ns":0,"sequences":[7]})" + "\n", "line 2: sequences"},
  };
  for (const auto& [text, message] : bad) {
    std::istringstream in(text);
    const auto lines = read_step_lines(in);
    ASSERT_TRUE(lines.has_error()) << text;
    EXPECT_TRUE(lines.error().message.starts_with(message)) << lines.error().message;
  }
}

}  // namespace
}  // namespace mie::test
