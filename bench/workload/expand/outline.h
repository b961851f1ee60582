// Who asks when: sessions, turns and instants of a load, before anything is known of prompts. Pure; any thread.
#pragma once

#include "bench/workload/expand/inputs.h"

#include <chrono>

namespace mie::bench {

struct Slot {
  int session = 0;
  int turn = 0;
  std::optional<std::chrono::nanoseconds> intended;
  std::chrono::nanoseconds think{0};
  bool warmup = false;  // within warmup.seconds of an open law
};

inline constexpr std::int64_t kMostRequests = std::int64_t{1} << 22U;

// A closed loop that ends by time takes as many requests as it can answer. Its list holds enough for this many a second in each
// slot, and not more than kMostClosedRequests; who comes to its end has not measured the whole time.
inline constexpr double kClosedRequestsPerSecond = 20;
inline constexpr std::int64_t kMostClosedRequests = 50'000;

// The load without the warm-up requests that go before it. Errors: kConfig: the law ends before the count, or there are too
// many.
Result<std::vector<Slot>> outline_of(const WorkloadSpec& spec, const Inputs& inputs);

}  // namespace mie::bench
