#include "core/sched/static_scheduler.h"

#include "core/sched/step_builder.h"

#include <algorithm>
#include <utility>

namespace mie {
namespace {

using Claim = StepBuilder::Claim;

int batch_size(StepBuilder trial) {
  while (const SeqView* seq = trial.next_admissible(Claim::kLifetime)) trial.admit(*seq, 1, Claim::kLifetime);
  return trial.n_rows();
}

void fill(StepBuilder& step) {
  for (int n_behind = batch_size(step) - 1; n_behind >= 0; --n_behind) {
    const SeqView* seq = step.next_admissible(Claim::kLifetime);
    step.admit(*seq, std::min(seq->n_pending(), step.n_tokens_left() - n_behind), Claim::kLifetime);
  }
}

void advance(StepBuilder& step) {
  step.prefill(step.n_tokens_left());
  if (step.empty()) step.decode();
}

}  // namespace

StepPlan StaticScheduler::plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits, StepPlan memory) const {
  StepBuilder step(seqs, budget, limits, std::move(memory));
  if (step.anything_running())
    advance(step);
  else
    fill(step);
  step.speculate();
  return step.take();
}

}  // namespace mie
