#include "server/trace/chrome_trace.h"

#include "server/json/response_write.h"
#include "server/trace/request_tracks.h"
#include "server/trace/step_json.h"

#include <algorithm>

namespace mie {
namespace {

constexpr int kEngineProcess = 1, kRequestProcess = 2;
constexpr int kEngineTrack = 1;

struct Track {
  int process = 0;
  std::int64_t thread = 0;
};

// Writes events whose stamps are microseconds since `zero`.
class EventWriter {
 public:
  explicit EventWriter(Clock::time_point zero) : zero_(zero) {
    out_.begin_object().member("displayTimeUnit", "ms").key("traceEvents").begin_array();
  }

  // What `args` holds follows: end() closes it.
  EventWriter& begin(std::string_view name, std::string_view phase, Track track) {
    out_.begin_object().member("name", name).member("ph", phase).member("pid", track.process).member("tid", track.thread);
    return *this;
  }
  EventWriter& at(Clock::time_point at) { return stamp("ts", at - zero_); }
  EventWriter& lasts(Clock::duration length) { return stamp("dur", length); }
  EventWriter& of(std::string_view category) {
    out_.member("cat", category);
    return *this;
  }
  json::JsonWriter& args() { return out_.key("args").begin_object(); }
  void end() { out_.end_object().end_object(); }

  void name_of(const char* what, Track track, const std::string& name) {
    begin(what, "M", track).args().member("name", std::string_view(name));
    end();
  }
  std::string take() {
    out_.end_array().end_object();
    return out_.take();
  }

  [[nodiscard]] json::JsonWriter& json() { return out_; }

 private:
  EventWriter& stamp(std::string_view name, Clock::duration value) {
    out_.key(name).fixed(static_cast<double>(value.count()) / 1000, 3);
    return *this;
  }

  json::JsonWriter out_;
  Clock::time_point zero_;
};

Clock::time_point first_stamp(const StepLines& lines) {
  auto first = Clock::time_point::max();
  for (const TracedStep& step : lines.steps) first = std::min(first, step.begin);
  for (const RequestEvent& event : lines.events) first = std::min(first, event.at);
  return first;
}

void write_phases(EventWriter& out, const TracedStep& step) {
  Clock::time_point at = step.begin;
  const auto phase = [&](std::string_view name, Clock::duration length) {
    out.begin(name, "X", {kEngineProcess, kEngineTrack}).of("phase").at(at).lasts(length).args();
    out.end();
    at += length;
  };
  phase("plan", step.plan);
  phase("run", step.run);
  phase("commit", step.commit);
}

void write_engine_step(EventWriter& out, const TracedStep& step) {
  const Track track{kEngineProcess, kEngineTrack};
  out.begin("step", "X", track).of("step").at(step.begin).lasts(step.plan + step.run + step.commit);
  out.args().member("step", step.number).member("rows", step.n_rows).member("seqs", step.n_seqs);
  out.json().member("prefill", step.tokens.n_prefill).member("recompute", step.tokens.n_recompute);
  out.json().member("decode", step.tokens.n_decode).member("drafts_rejected", step.tokens.n_rejected);
  out.json().member("blocks_taken", step.n_blocks_taken).member("blocks_back", step.n_blocks_back);
  out.json().member("evicted", step.n_evicted).member("rejected", step.n_rejected);
  out.end();
  write_phases(out, step);
  out.begin("KV blocks", "C", track).at(step.begin).args().member("used", step.n_blocks_used);
  out.end();
  out.begin("sequences", "C", track).at(step.begin).args().member("in step", step.n_seqs);
  out.end();
}

void write_instant(EventWriter& out, Track track, std::string_view name, const RequestEvent& event) {
  out.begin(name, "i", track).of("request").at(event.at);
  out.json().member("s", "t");
  out.args().member("step", event.step).member("tokens", event.n_tokens);
  if (event.kind == RequestEvent::Kind::kEnded) out.json().member("reason", finish_word(event.reason));
  out.end();
}

void write_request(EventWriter& out, const RequestTrack& request) {
  const Track track{kRequestProcess, static_cast<std::int64_t>(request.id.value())};
  out.name_of("thread_name", track, "request " + std::to_string(request.id.value()));
  for (const RequestSpan& span : request.spans) {
    out.begin(span.name, "X", track).of("request").at(span.begin).lasts(span.end - span.begin).args();
    if (span.step > 0)
      out.json().member("step", span.step).member("tokens", span.n_tokens).member("recomputed", span.n_recomputed);
    out.end();
  }
  if (request.submitted != nullptr) write_instant(out, track, "submitted", *request.submitted);
  if (request.first_token != nullptr) write_instant(out, track, "first token", *request.first_token);
  if (request.ended != nullptr) write_instant(out, track, "ended", *request.ended);
}

}  // namespace

std::string chrome_trace(const StepLines& lines) {
  EventWriter out(first_stamp(lines));
  out.name_of("process_name", {kEngineProcess, 0}, "engine");
  out.name_of("thread_name", {kEngineProcess, kEngineTrack}, "steps");
  out.name_of("process_name", {kRequestProcess, 0}, "requests");
  for (const TracedStep& step : lines.steps) write_engine_step(out, step);
  for (const RequestTrack& request : request_tracks(lines)) write_request(out, request);
  return out.take();
}

}  // namespace mie
