#include "bench/metrics/step_counts.h"

namespace mie::bench {

void StepCounts::add(const StepLine& step) {
  ++steps;
  decode_forwards += step.n_decode > 0 ? 1 : 0;
  prefill_forwards += step.n_prefill + step.n_recompute > 0 ? 1 : 0;
  decode_rows += step.n_decode;
  prefill_rows += step.n_prefill;
  wasted_rows += step.n_rejected + step.n_recompute;
  preemptions += step.n_evicted;
}

double StepCounts::occupancy() const {
  return decode_forwards > 0 ? static_cast<double>(decode_rows) / static_cast<double>(decode_forwards) : 0;
}

void LoadSteps::add(const StepLine& step) {
  counts.add(step);
  if (lines.size() < kMostLines) lines.push_back(step);
}

}  // namespace mie::bench
