#include "server/api/timings.h"

#include <fmt/format.h>

#include <algorithm>

namespace mie::api {
namespace {

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

std::string shown(const std::optional<double>& ms) { return ms ? fmt::format("{:.2f}", *ms) : "-"; }

}  // namespace

Timings make_timings(const RequestStamps& stamps, const LiveChoice& choice) {
  const auto since = [&](const std::optional<Clock::time_point>& at) {
    return at ? std::optional(ms_between(stamps.arrival, *at)) : std::nullopt;
  };
  Timings out;
  out.accepted_ns = stamps.arrival_raw_ns;
  out.parsed_ms = since(stamps.parsed);
  out.tokenized_ms = since(stamps.tokenized);
  out.first_write_ms = since(stamps.first_write);
  out.first_token_ms = since(choice.first_token);
  out.last_token_ms = since(choice.last_token);
  if (choice.finish) {
    const RequestTimes& times = choice.finish->times;
    out.enqueued_ms = since(times.enqueued);
    out.admitted_ms = out.prefill_start_ms = since(times.admitted);
    out.prefill_end_ms = since(times.prefill_end);
    out.first_token_ms = since(times.first_token);
    out.last_token_ms = since(times.last_token);
    out.finished_ms = since(times.finished);
    out.steps = times.n_steps;
    out.prefill_tokens = choice.n_prompt - times.n_cached_tokens;
    out.cached_tokens = times.n_cached_tokens;
    out.preemptions = times.n_preemptions;
    out.max_batch = times.max_batch;
  }
  if (choice.end.finish_reason == "length") out.length_cause = choice.until_context ? "context" : "max_tokens";
  return out;
}

std::string log_times(Clock::time_point arrival, Clock::time_point now, const LiveChoice& choice) {
  std::optional<double> queue, first, per_token;
  if (choice.finish && choice.finish->times.admitted)
    queue = ms_between(choice.finish->times.enqueued, *choice.finish->times.admitted);
  if (choice.first_token) first = ms_between(arrival, *choice.first_token);
  const int n = choice.text.n_tokens();
  if (n > 1) per_token = ms_between(*choice.first_token, *choice.last_token) / (n - 1);
  return fmt::format("queue_ms={} ttft_ms={} tpot_ms={} total_ms={:.2f}", shown(queue), shown(first), shown(per_token),
                     ms_between(arrival, now));
}

}  // namespace mie::api
