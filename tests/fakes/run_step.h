// ModelRunner::run with its answers as a value. Test code.
#pragma once

#include "models/model_runner.h"

#include <vector>

namespace mie::test {

inline std::vector<Sampled> run_step(ModelRunner& runner, const StepBatch& batch, std::span<const SamplingRow> rows) {
  std::vector<Sampled> sampled(rows.size());
  runner.run(batch, rows, sampled);
  return sampled;
}

}  // namespace mie::test
