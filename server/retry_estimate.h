// What Retry-After says: the time until there is room, from how long requests took lately and how many stand in line.
// Owned by the service. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>

namespace mie {

class RetryEstimate {
 public:
  // An answer was completed after this long in the engine.
  void completed(std::chrono::duration<double> took);

  // Whole seconds, 1 … 120: `n_ahead` requests leave in groups of `n_parallel`, plus up to a quarter of jitter.
  // `jitter`: 0 … 1.
  [[nodiscard]] int seconds(int n_ahead, int n_parallel, double jitter) const;

 private:
  std::atomic<double> mean_seconds_{1};  // exponential mean; a lost update under a race is only a lost sample
};

}  // namespace mie
