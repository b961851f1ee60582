#include "server/http_metrics.h"

#include "core/base/ensure.h"

#include <array>
#include <utility>

namespace mie {
namespace {

using prometheus::Histogram;

const Histogram::BucketBoundaries kSeconds = {.005, .01, .025, .05, .1, .2, .3, .5,  .8,  1,   1.5, 2,    2.5, 5,
                                              10,   15,  20,   30,  40, 50, 60, 120, 240, 480, 960, 1920, 7680};

auto& counters(MetricsRegistry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry.families());
}
auto& gauges(MetricsRegistry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry.families());
}
auto& counter(MetricsRegistry& registry, const char* name, const char* help) { return counters(registry, name, help).Add({}); }
auto& gauge(MetricsRegistry& registry, const char* name, const char* help) { return gauges(registry, name, help).Add({}); }

std::string_view event_label(StreamEvent event) {
  static constexpr std::array<std::string_view, 7> kLabels = {"role", "content", "finish", "usage", "done", "error", "ping"};
  return kLabels[static_cast<std::size_t>(event)];
}

Labels label(const char* name, std::string_view value) { return {{name, std::string(value)}}; }

}  // namespace

std::string_view outcome_label(Outcome outcome) {
  switch (outcome) {
    case Outcome::kComplete:
      return "complete";
    case Outcome::kError:
      return "error";
    case Outcome::kClientGone:
      return "client_gone";
    case Outcome::kAborted:
      return "aborted";
    case Outcome::kDeadline:
      return "deadline";
    case Outcome::kSlowReader:
      return "slow_reader";
    case Outcome::kShutdown:
      return "shutdown";
  }
  invariant_failed("outcome", __FILE__, __LINE__, "unknown outcome");
}

HttpMetrics::HttpMetrics(MetricsRegistry& registry)
    : registry_(registry),
      requests_(counters(registry, "http_requests_total", "HTTP requests by route, method and status")),
      durations_(prometheus::BuildHistogram()
                     .Name("http_request_duration_seconds")
                     .Help("From the last byte of the head to the end of the answer")
                     .Register(registry.families())),
      connections_(gauges(registry, "mie_connections", "Open connections")),
      active_connections_(connections_.Add({{"state", "active"}})),
      idle_connections_(connections_.Add({{"state", "idle"}})),
      connections_total_(counter(registry, "mie_connections_total", "Connections accepted")),
      connections_refused_(counter(registry, "mie_connections_refused_total", "Connections over a limit")),
      bad_requests_(counters(registry, "mie_http_bad_requests_total", "Requests refused by a framing rule")),
      disagreements_(counter(registry, "mie_http_disagreements_total", "Heads that the two parsers read differently")),
      body_bytes_(gauge(registry, "mie_body_bytes", "Bytes of request bodies held")),
      output_bytes_(gauge(registry, "mie_output_buffer_bytes", "Bytes of answers not yet taken by clients")),
      received_(counters(registry, "mie_requests_received_total", "POST to a generation route with a well-formed head")),
      refused_(counters(registry, "mie_requests_refused_total", "Generation requests that ended before acceptance")),
      checking_(gauge(registry, "mie_requests_checking", "Received, neither accepted nor refused yet")),
      active_(gauge(registry, "mie_requests_active", "Accepted, not ended")),
      accepted_(counter(registry, "mie_requests_accepted_total", "Generation requests taken into the queue")),
      ended_(counters(registry, "mie_requests_ended_total", "Accepted requests by how they ended")),
      disconnects_(counters(registry, "mie_disconnects_total", "Clients that hung up, by state of their request")),
      stream_events_(counters(registry, "mie_stream_events_total", "Frames of event streams written")),
      ready_(gauge(registry, "mie_ready", "1 while new work is taken")),
      load_seconds_(gauges(registry, "mie_model_load_seconds", "Phases of the start")),
      params_n_(prometheus::BuildHistogram()
                    .Name("vllm:request_params_n")
                    .Help("n of each accepted request")
                    .Register(registry.families())) {
  for (const char* route : {"completions", "chat"}) received_.Add(label("route", route));
  for (const auto outcome : {Outcome::kComplete, Outcome::kError, Outcome::kClientGone, Outcome::kAborted, Outcome::kDeadline,
                             Outcome::kSlowReader, Outcome::kShutdown}) {
    ended_.Add(label("outcome", outcome_label(outcome)));
  }
}

void HttpMetrics::request_done(std::string_view handler, std::string_view method, int status,
                               std::chrono::duration<double> took) {
  const Labels by_route = {{"handler", std::string(handler)}, {"method", std::string(method)}};
  Labels by_status = by_route;
  by_status["status"] = status == 0 ? "none" : std::to_string(status);
  const auto held = registry_.lock();
  requests_.Add(by_status).Increment();
  durations_.Add(by_route, kSeconds).Observe(took.count());
}

void HttpMetrics::connection_opened() {
  connections_total_.Increment();
  idle_connections_.Increment();
}
void HttpMetrics::connection_refused() { connections_refused_.Increment(); }
void HttpMetrics::connection_closed() { idle_connections_.Decrement(); }

void HttpMetrics::connection_active(bool active) {
  const auto held = registry_.lock();
  const double change = active ? 1 : -1;
  active_connections_.Increment(change);
  idle_connections_.Increment(-change);
}

void HttpMetrics::bad_request(std::string_view rule) {
  if (rule == "disagreement")
    disagreements_.Increment();
  else
    bad_requests_.Add(label("rule", rule)).Increment();
}

void HttpMetrics::stream_event(StreamEvent event, int n) {
  if (n > 0) stream_events_.Add(label("kind", event_label(event))).Increment(n);
}
void HttpMetrics::disconnect(std::string_view state) { disconnects_.Add(label("state", state)).Increment(); }
void HttpMetrics::body_bytes(double change) { body_bytes_.Increment(change); }
void HttpMetrics::output_bytes(double change) { output_bytes_.Increment(change); }
void HttpMetrics::ready(bool is_ready) { ready_.Set(is_ready ? 1 : 0); }
void HttpMetrics::load_phase(std::string_view phase, double seconds) { load_seconds_.Add(label("phase", phase)).Set(seconds); }

void HttpMetrics::params_n(int n, const std::string& model_name) {
  const Histogram::BucketBoundaries bounds = {1, 2, 5, 10, 20};
  params_n_.Add({{"model_name", model_name}, {"engine", "0"}}, bounds).Observe(n);
}

void HttpMetrics::info(const char* name, const char* help, const Labels& labels) {
  gauges(registry_, name, help).Add(labels).Set(1);
}

void HttpMetrics::received(std::string_view route) {
  const auto held = registry_.lock();
  received_.Add(label("route", route)).Increment();
  checking_.Increment();
}

void HttpMetrics::refused(std::string_view code) {
  const auto held = registry_.lock();
  checking_.Decrement();
  refused_.Add(label("code", code)).Increment();
}

void HttpMetrics::accepted() {
  const auto held = registry_.lock();
  checking_.Decrement();
  accepted_.Increment();
  active_.Increment();
}

void HttpMetrics::ended(Outcome outcome) {
  const auto held = registry_.lock();
  active_.Decrement();
  ended_.Add(label("outcome", outcome_label(outcome))).Increment();
}

RequestAccount::RequestAccount(HttpMetrics& metrics, api::GenerationKind kind) : metrics_(metrics) {
  metrics_.received(kind == api::GenerationKind::kChat ? "chat" : "completions");
}

// A throw here is a broken invariant: the process ends, as it should.
// NOLINTNEXTLINE(bugprone-exception-escape)
RequestAccount::~RequestAccount() {
  if (state_ == State::kChecking) refuse("internal_error");
  if (state_ == State::kAccepted) end(Outcome::kError);
}

void RequestAccount::refuse(std::string_view code) {
  ENSURE(state_ == State::kChecking, "refused twice");
  state_ = State::kClosed;
  metrics_.refused(code);
}

void RequestAccount::accept() {
  ENSURE(state_ == State::kChecking, "accepted twice");
  state_ = State::kAccepted;
  metrics_.accepted();
}

void RequestAccount::end(Outcome outcome) {
  ENSURE(state_ == State::kAccepted, "ended twice");
  state_ = State::kClosed;
  metrics_.ended(outcome);
}

}  // namespace mie
