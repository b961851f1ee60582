// Exact order statistics of a sample. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mie::bench {

// In thousandths, so that ranks and needed counts are exact: 1, 5, 10, 25, 50, 75, 90, 95, 99 and 99.9 %.
inline constexpr std::array kPercentiles = {10, 50, 100, 250, 500, 750, 900, 950, 990, 999};

// The smallest value that at least `permille` thousandths of the sample do not exceed. REQUIRES: sorted, not empty.
[[nodiscard]] double nearest_rank(std::span<const double> sorted, int permille);

// Between the two values beside (n − 1)·p. {1, 2, 4}: p50 is 2, p95 is at 1.9, so 3.8. REQUIRES: sorted, not empty.
[[nodiscard]] double linear_percentile(std::span<const double> sorted, int permille);

// The least n whose percentile says anything: 10 / (1 − p), so that ten values lie beyond it. p90 100, p99 1000.
[[nodiscard]] std::int64_t needed_for(int permille);

struct Percentile {
  int permille = 0;
  double nearest = 0;
  double linear = 0;  // the one that is shown
  bool withheld = false;
  std::int64_t needed = 0;
};

struct Distribution {
  std::int64_t n = 0;  // 0: every other number is 0 and every percentile withheld
  double mean = 0;
  double sd = 0;  // of a sample, n − 1; 0 for one value
  double min = 0, max = 0;
  std::array<Percentile, kPercentiles.size()> percentiles{};
};

[[nodiscard]] Distribution distribution_of(std::vector<double> values);

}  // namespace mie::bench
