// The files of a run: what result.json says is what its requests say, and nothing that is half written has its name.
#include "bench/load/request_lines.h"
#include "bench/result/result_files.h"
#include "bench/run/checks.h"
#include "bench/run/validity.h"
#include "tests/bench/runs/made_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mie::bench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

RunResult whole_run() {
  RunResult run = made_run();
  run.window = measured_window(run);
  run.checks = check_run(run);
  run.validity = judge(run);
  return run;
}

class RunFiles : public ::testing::Test {
 protected:
  ~RunFiles() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("mie-run-" + std::to_string(::getpid()));
  simdjson::dom::parser parser_;
};

TEST_F(RunFiles, SayWhatTheRequestsSay) {
  const simdjson::dom::element root = parser_.parse(result_json(whole_run()));
  EXPECT_EQ(std::string_view(root["schema"]), "mie.result/1");
  EXPECT_EQ(std::string_view(root["validity"]["state"]), "ok");
  EXPECT_EQ(std::string_view(root["spec"]["name"]), "made");
  EXPECT_EQ(std::string_view(root["spec_sha256"]).size(), 64U);
  EXPECT_EQ(std::int64_t(root["windows"]["steady"]["a_ns"]), ns(1.0));
  EXPECT_EQ(std::int64_t(root["counts"]["offered"]), 4);
  EXPECT_EQ(std::int64_t(root["counts"]["by_status"]["ok"]), 4);
  EXPECT_EQ(std::int64_t(root["counts"]["tokens_in"]), 40);
  EXPECT_EQ(std::int64_t(root["counts"]["tokens_out"]), 12);
  const auto ttft = root["metrics"]["ttft"]["ok"];
  EXPECT_EQ(std::int64_t(ttft["n"]), 4);
  EXPECT_NEAR(double(ttft["mean"]), 0.099, 1e-9) << "0.1 s after the intended instant, sent 1 ms late";
  EXPECT_TRUE(ttft["percentiles"]["p99"]["linear"].is_null()) << "of four values there is none";
  EXPECT_EQ(std::int64_t(ttft["percentiles"]["p99"]["needed"]), 1000);
  EXPECT_NEAR(double(root["metrics"]["tpot"]["ok"]["mean"]), 0.1, 1e-9);
  // 2 requests and 6 tokens in each load of 1.6 s.
  EXPECT_NEAR(double(root["throughput"]["requests_per_s"]), 2 / 1.6, 1e-6);
  EXPECT_NEAR(double(root["throughput"]["output_tokens_per_s"]), 6 / 1.6, 1e-6);
  EXPECT_EQ(simdjson::dom::array(root["repetitions"]).size(), 2U);
  EXPECT_TRUE(root["goodput"].is_null()) << "no objectives";
  EXPECT_EQ(std::string_view(root["reproduce"]["commands"].at(0)), "mie bench run made.toml");
}

TEST_F(RunFiles, NameACommandThatAShellTakes) {
  RunResult run = whole_run();
  run.command_line = {"mie", "bench", "run", "my file.toml", "--members", R"({"stop":"it's $HOME"})", ""};
  const simdjson::dom::element root = parser_.parse(result_json(run));
  const std::string command(std::string_view(root["reproduce"]["commands"].at(0)));
  EXPECT_EQ(command, R"(mie bench run 'my file.toml' --members '{"stop":"it'\''s $HOME"}' '')");
  EXPECT_EQ(std::string_view(root["command_line"]), command);
}

TEST_F(RunFiles, CountSecondsOfTheWholeRun) {
  const simdjson::dom::element root = parser_.parse(result_json(whole_run()));
  const simdjson::dom::array seconds = root["timeseries"]["1s"];
  ASSERT_EQ(seconds.size(), 13U) << "0 to 12.6 s";
  EXPECT_EQ(std::int64_t(seconds.at(1)["sent"]), 2);
  EXPECT_EQ(std::int64_t(seconds.at(1)["tokens"]), 6);
  EXPECT_EQ(std::int64_t(seconds.at(1)["in_flight"]), 2);
  EXPECT_EQ(std::int64_t(seconds.at(2)["finished"]), 2);
  EXPECT_EQ(std::int64_t(seconds.at(2)["in_flight"]), 0);
  EXPECT_EQ(std::int64_t(seconds.at(11)["sent"]), 2);
}

TEST_F(RunFiles, GoodputIsOfAllThatWereOffered) {
  RunResult run = made_run();
  run.spec.slo.push_back({{.metric = Metric::kE2el, .comparison = Comparison::kAtMost, .value_ms = 2000}});
  run.records[3].status = RequestStatus::http_5xx;
  run.window = measured_window(run);
  const simdjson::dom::element root = parser_.parse(result_json(run));
  EXPECT_EQ(std::int64_t(root["goodput"]["good"]), 3);
  EXPECT_EQ(double(root["goodput"]["share"]), 0.75);
}

TEST_F(RunFiles, AreWholeOrNotThere) {
  ASSERT_FALSE(write_result(whole_run(), folder_));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, UnorderedElementsAre("requests.jsonl", "result.json"));
  std::ifstream in(folder_ / "requests.jsonl");
  const auto lines = read_request_lines(in).value();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[3].record.repetition, 1);
  EXPECT_EQ(lines[3].record.events.size(), 3U);
}

TEST_F(RunFiles, KeepAShareOfTheTexts) {
  RunResult run = made_run();
  for (RequestRecord& record : run.records) record.text = "answer " + std::to_string(record.index);
  run.records[3].text.clear();
  const auto kept = [&run](double share) {
    run.spec.report.keep_text = share;
    for (RequestRecord& record : run.records) record.keeps_text = false;
    keep_texts(run);
    return std::ranges::count(run.records, true, &RequestRecord::keeps_text);
  };
  EXPECT_EQ(kept(0), 0);
  EXPECT_EQ(kept(0.5), 2) << "of three, rounded up";
  EXPECT_EQ(kept(1), 3);
  for (const RequestRecord& record : run.records) {
    std::istringstream in(request_line(record));
    EXPECT_EQ(read_request_lines(in).value()[0].record.text, record.text);
  }
  kept(0);
  EXPECT_THAT(request_line(run.records[0]), ::testing::HasSubstr("\"text\":null"));
}

// Each of a hundred texts has the same chance, one in four: over 400 seeds it is kept 100 times, give or take 35 (four standard
// deviations).
TEST(KeptTexts, AreDrawnFromAllAlike) {
  std::vector<int> times(100);
  for (int seed = 0; seed < 400; ++seed) {
    RunResult run;
    run.spec.seed = seed;
    run.spec.report.keep_text = 0.25;
    run.records.resize(times.size());
    for (RequestRecord& record : run.records) record.text = "a";
    keep_texts(run);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] += run.records[i].keeps_text ? 1 : 0;
  }
  EXPECT_THAT(times, ::testing::Each(::testing::AllOf(::testing::Ge(65), ::testing::Le(135))));
}

// 1 ms in, 1 ms in each of the server's seven phases, the rest out.
TEST_F(RunFiles, SplitTheTimeIntoPhases) {
  RunResult run = made_run();
  for (RequestRecord& record : run.records) {
    ServerTimes server{.accepted_ns = *record.send_ns + ns(0.001)};
    for (const auto& [stamp, ms] : {std::pair{ServerStamp::kParsed, 1},
                                    {ServerStamp::kTokenized, 2},
                                    {ServerStamp::kAdmitted, 3},
                                    {ServerStamp::kPrefillEnd, 4},
                                    {ServerStamp::kFirstToken, 5},
                                    {ServerStamp::kLastToken, 6},
                                    {ServerStamp::kFinished, 7}})
      server.stamps[static_cast<std::size_t>(stamp)] = server.accepted_ns + ns(ms * 0.001);
    record.server = server;
  }
  run.window = measured_window(run);
  const simdjson::dom::element split = simdjson::dom::element(parser_.parse(result_json(run)))["phase_split"];
  EXPECT_NEAR(double(split["queue"]["mean"]), 0.001, 1e-9);
  EXPECT_NEAR(double(split["queue"]["share"]), 0.001 / 1.099, 1e-9) << "of the 1.1 s, sent 1 ms late";
  EXPECT_NEAR(double(split["network-out"]["mean"]), 1.091, 1e-9);
  EXPECT_TRUE(split["queue"]["p99"].is_null()) << "of four values there is none";
  EXPECT_TRUE(simdjson::dom::element(parser_.parse(result_json(made_run())))["phase_split"].is_null());
}

TEST_F(RunFiles, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder_) << "a file";
  const auto error = write_result(whole_run(), folder_);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Errc::kConfig);
}

TEST(RunId, IsAUuidOfVersionSevenThatSortsByTime) {
  const std::string first = new_run_id();
  ::usleep(2000);
  const std::string second = new_run_id();
  EXPECT_THAT(first, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_LT(first, second);
}

}  // namespace
}  // namespace mie::bench::test
