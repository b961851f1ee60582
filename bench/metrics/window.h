// The measured part of a run, [begin, end) in nanoseconds of its clock, and which requests it judges. Values; any thread.
#pragma once

#include "bench/load/request_record.h"

#include <cstdint>

namespace mie::bench {

struct Window {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] bool holds(std::int64_t at_ns) const { return at_ns >= begin_ns && at_ns < end_ns; }
  [[nodiscard]] double seconds() const { return static_cast<double>(end_ns - begin_ns) * 1e-9; }
};

// Offered inside the window. By the intended instant: choosing by the end would favour requests that end.
[[nodiscard]] inline bool offered_in(const Window& window, const RequestRecord& record) {
  return !record.warmup && window.holds(record.intended_ns);
}

}  // namespace mie::bench
