// First come, first served, with admission and eviction between any two tokens. The oldest running sequence is never
// evicted as long as it fits the pool alone, so everything admitted ends; nobody waiting is overtaken; no one running is
// evicted for someone waiting. Stateless; any thread.
//
// kChunked: one step mixes decodes, then running prefills, then newcomers, in chunks up to the row budget.
// kWhole:   prompts are prefilled in steps of their own, whole. As long as someone can enter, decodes wait; requests that can
//           enter together share a step. A step never has more than max_tokens rows: a prompt longer than that begins only
//           as the first of its step and goes on in the next ones, alone or with whole prompts behind it. max_prefill_chunk
//           does not apply. A stream of newcomers can hold up decodes; that is what chunks are for.
//
// A newcomer is let in when the free blocks suffice for it and all that run to grow by a block's length.
#pragma once

#include "core/sched/scheduler.h"

#include <limits>

namespace mie {

class FcfsScheduler final : public Scheduler {
 public:
  enum class Prefill { kChunked, kWhole };

  // `max_seqs`: a cap below that of the limits; 1 is one request at a time.
  explicit FcfsScheduler(Prefill prefill, int max_seqs = std::numeric_limits<int>::max())
      : prefill_(prefill), max_seqs_(max_seqs) {}

  [[nodiscard]] StepPlan plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits,
                              StepPlan memory = {}) const override;

 private:
  Prefill prefill_;
  int max_seqs_;
};

}  // namespace mie
