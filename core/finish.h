// How a request ended and when its milestones were. Apart from the token stream so that code without coroutines
// (sequence, scheduler tests, simulator) need not include Asio. Values; any thread.
#pragma once

#include "core/base/clock.h"

#include <optional>

namespace mie {

enum class FinishReason { kStop, kLength, kCancelled, kDeadline, kError };

// Stamps of one request's life, for the log line, `timings` and the histograms. Unset: did not happen.
struct RequestTimes {
  Clock::time_point arrival, enqueued;
  std::optional<Clock::time_point> admitted, prefill_end, first_token, last_token, finished;
  int n_steps = 0;  // steps that held a row of it
  int n_preemptions = 0;
  int n_cached_tokens = 0;  // prompt tokens found in the prefix cache at first admission
  int max_batch = 0;        // most sequences it shared a step with, itself included
};

}  // namespace mie
