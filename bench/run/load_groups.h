// In which order the loads of a run are put. Pure; any thread.
#pragma once

#include "bench/workload/spec/run_spec.h"

#include <vector>

namespace mie::bench {

// A load: on which arm, and which of its repetitions.
struct Place {
  int arm = 0, repetition = 0;
};

// Groups that stand or fall together: repetition by repetition with the arms forth and back, so that what drifts falls on all
// alike; or arm by arm, each load for itself.
[[nodiscard]] std::vector<std::vector<Place>> groups_of(const RepetitionsSpec& spec, int n_arms);

}  // namespace mie::bench
