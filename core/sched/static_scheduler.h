// Static batching, the baseline: a batch is filled once and runs to its end before anyone else enters; those who finish
// early leave, and their place stays empty. Stateless; any thread.
//
// Filling: when nothing runs, the head of the line enters, up to max_seqs, as long as the blocks of all max_total fit
// together; so the batch grows to its end without eviction. All enter in one step: each gets at least one row, the earliest
// as many as leave one for each behind. Then the batch prefills, whole prompts up to max_tokens rows a step, and only when
// every prompt is computed does it decode, all together. max_prefill_chunk does not apply.
#pragma once

#include "core/sched/scheduler.h"

namespace mie {

class StaticScheduler final : public Scheduler {
 public:
  [[nodiscard]] StepPlan plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits,
                              StepPlan memory = {}) const override;
};

}  // namespace mie
