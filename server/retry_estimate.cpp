#include "server/retry_estimate.h"

#include <algorithm>
#include <cmath>

namespace mie {

void RetryEstimate::completed(std::chrono::duration<double> took) {
  constexpr double kWeight = 0.1;
  const double mean = mean_seconds_.load(std::memory_order_relaxed);
  mean_seconds_.store(mean + kWeight * (took.count() - mean), std::memory_order_relaxed);
}

int RetryEstimate::seconds(int n_ahead, int n_parallel, double jitter) const {
  const double groups = static_cast<double>(n_ahead) / std::max(1, n_parallel);
  const double wait = std::max(1.0, mean_seconds_.load(std::memory_order_relaxed) * groups);
  return static_cast<int>(std::clamp(std::ceil(wait * (1 + 0.25 * jitter)), 1.0, 120.0));
}

}  // namespace mie
