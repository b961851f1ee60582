// How many requests were in flight over a window: an exact sweep over their half-open intervals. Pure; any thread.
#pragma once

#include "bench/metrics/window.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mie::bench {

struct InFlight {
  double mean = 0;  // over time
  int max = 0;
};

// [begin, end) each; those that end at the instant another begins do not overlap. REQUIRES: begin <= end.
[[nodiscard]] InFlight in_flight(std::span<const Window> intervals, const Window& window);

// From send to end; what was not sent is none, what did not end lasts for ever.
[[nodiscard]] std::vector<Window> flights_of(std::span<const RequestRecord> records);

}  // namespace mie::bench
