// From the stamps of a choice to the `timings` object and to the figures of the log line. Pure functions.
#pragma once

#include "server/api/generation_run.h"

#include <optional>
#include <string>

namespace mie::api {

// Stamps that the connection's side took.
struct RequestStamps {
  Clock::time_point arrival;
  std::int64_t arrival_raw_ns;
  Clock::time_point parsed, tokenized;
  std::optional<Clock::time_point> first_write;
};

[[nodiscard]] Timings make_timings(const RequestStamps& stamps, const LiveChoice& choice);

// "queue_ms=… ttft_ms=… tpot_ms=… total_ms=…"; "-" where it did not happen.
[[nodiscard]] std::string log_times(Clock::time_point arrival, Clock::time_point now, const LiveChoice& choice);

}  // namespace mie::api
