// One instant on the clock of stamps and on the one that servers of this machine count durations with: CLOCK_MONOTONIC, which
// is slewed and so may run a thousandth faster or slower. Any thread.
#pragma once

#include "bench/load/stamp_clock.h"

#include <cstdint>
#include <ctime>

namespace mie::bench {

struct ClockPair {
  std::int64_t stamp_ns = 0, monotonic_ns = 0;
};

// The closest of a few readings: to about 30 ns.
[[nodiscard]] inline ClockPair read_clocks() {
  constexpr int kTries = 8;
  ClockPair best;
  std::int64_t least = -1;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t before = stamp_ns();
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t width = stamp_ns() - before;
    if (least >= 0 && width >= least) continue;
    least = width;
    best = {before + width / 2, std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
  }
  return best;
}

// Stamp-clock nanoseconds in one of CLOCK_MONOTONIC, on average between two readings.
[[nodiscard]] inline double stamp_rate(const ClockPair& begin, const ClockPair& end) {
  const std::int64_t monotonic = end.monotonic_ns - begin.monotonic_ns;
  return monotonic > 0 ? static_cast<double>(end.stamp_ns - begin.stamp_ns) / static_cast<double>(monotonic) : 1.0;
}

}  // namespace mie::bench
