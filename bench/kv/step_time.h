// What a block size costs in time: one decode step of the native runner over a long context, for each size. The capacity table
// says what small blocks save, this says what they cost. The caller's thread becomes compute thread 0.
#pragma once

#include "bench/micro/timing.h"
#include "core/base/error.h"
#include "models/model_spec.h"
#include "models/native/isa.h"
#include "models/weights/weight_source.h"

#include <vector>

namespace mie::bench {

struct StepTimeSetting {
  native::Isa isa = native::Isa::kScalar;
  int n_threads = 0;  // 0: one for each core
  std::vector<int> block_sizes = {8, 16, 32, 64, 128, 256};
  std::vector<int> contexts = {1024, 4096};  // cached tokens of the sequence that decodes; longer than the model's: left out
  Effort effort = {.repetition_seconds = 0.03, .n_repetitions = 9, .most_seconds = 1};
};

struct StepTime {
  int block_size = 0, context = 0;
  double seconds = 0, min = 0, max = 0;  // the mean of both passes' medians, and the extremes of all repetitions
  double foreign_cpu = 0;                // share of the machine that others used, in the worse pass
};

// Two passes over the block sizes, the second in reverse, so that a machine that gets slower or faster meanwhile favours none.
// By context, then by block size. Each size has a runner of its own, one at a time; its pages are taken in random
// order and all written. Errors: those of packing the model.
Result<std::vector<StepTime>> step_times(const ModelPlan& plan, const WeightSource& source, const StepTimeSetting& setting);

}  // namespace mie::bench
