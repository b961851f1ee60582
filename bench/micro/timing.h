// Times one piece of code: google-benchmark's loop (enough iterations a repetition, each repetition on its own) and the median
// over its repetitions. One at a time; the caller's thread.
#pragma once

#include "bench/micro/measured.h"

#include <functional>
#include <string>

namespace mie::bench {

struct Effort {
  double repetition_seconds = 0.03;  // at least, unless one iteration takes longer
  int n_repetitions = 9;
  double most_seconds = 2;  // of all repetitions: slow cases get fewer, 3 at least
};

// The 99th percentile of iterations that are timed one by one, for code of some microseconds: `median`, `min` and `max` over
// the repetitions, each of which has as many iterations as fit its time, 100 at least.
[[nodiscard]] Timing time_p99(const std::function<void()>& run, const Effort& effort);

[[nodiscard]] Timing time_case(const std::string& name, const std::function<void()>& run, const Effort& effort);

}  // namespace mie::bench
