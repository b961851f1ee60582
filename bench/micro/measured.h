// What a micro-benchmark measured. Values; any thread.
#pragma once

#include "models/native/probe.h"

#include <optional>
#include <string>

namespace mie::bench {

// Seconds of one iteration over the repetitions, each of which averages many.
struct Timing {
  double median = 0, min = 0, max = 0;
  int n_repetitions = 0;
};

// The machine's limit that a kernel is held against.
enum class Limit { kNone, kRead, kInt8, kBf16 };
[[nodiscard]] std::string_view limit_name(Limit limit);

// GB/s or 10^9 operations per second; none where this machine has no such instruction.
[[nodiscard]] std::optional<double> limit_of(const native::ProbeResult& probe, Limit limit);

struct Measured {
  std::string name;
  Timing timing;
  double bytes = 0;  // that one iteration must read from memory; 0: none that count
  double ops = 0;    // of one iteration; 0: not counted
  Limit limit = Limit::kNone;
  double foreign_cpu = 0;             // share of the machine that others used while it ran
  native::ProbeResult before, after;  // the probes taken beside it

  [[nodiscard]] double gb_per_second() const { return bytes / timing.median * 1e-9; }
  [[nodiscard]] double gops() const { return ops / timing.median * 1e-9; }
  // Of the mean of both probes; none without a limit.
  [[nodiscard]] std::optional<double> percent() const;
  // Why this figure does not count; empty when it does.
  [[nodiscard]] std::string disturbance() const;
};

}  // namespace mie::bench
