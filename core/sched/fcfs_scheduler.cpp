#include "core/sched/fcfs_scheduler.h"

#include "core/sched/step_builder.h"

#include <algorithm>
#include <utility>

namespace mie {
namespace {

using Claim = StepBuilder::Claim;

void plan_chunked(StepBuilder& step, int max_chunk) {
  step.decode();
  step.prefill(max_chunk);
  while (const SeqView* seq = step.next_admissible(Claim::kNextBlock))
    step.admit(*seq, std::min({seq->n_pending(), max_chunk, step.n_tokens_left()}), Claim::kNextBlock);
}

void plan_whole(StepBuilder& step) {
  step.prefill(step.n_tokens_left());
  while (const SeqView* seq = step.next_admissible(Claim::kNextBlock)) {
    const bool whole = seq->n_pending() <= step.n_tokens_left();
    if (!whole && !step.empty()) break;
    step.admit(*seq, std::min(seq->n_pending(), step.n_tokens_left()), Claim::kNextBlock);
  }
  if (step.empty()) step.decode();
}

}  // namespace

StepPlan FcfsScheduler::plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits, StepPlan memory) const {
  limits.max_seqs = std::min(limits.max_seqs, max_seqs_);
  StepBuilder step(seqs, budget, limits, std::move(memory));
  if (prefill_ == Prefill::kChunked)
    plan_chunked(step, limits.max_prefill_chunk);
  else
    plan_whole(step);
  step.speculate();
  return step.take();
}

}  // namespace mie
