// Plans of the FCFS scheduler, held against the validator, and short ways to write their rows.
#pragma once

#include "core/sched/fcfs_scheduler.h"
#include "core/sched/plan_check.h"
#include "tests/sched/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace mie::test {

inline constexpr StepLimits kLimits{.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 8};

// Blocks of 4 tokens; every plan must also pass the validator.
inline StepPlan plan(FcfsScheduler::Prefill prefill, const std::vector<SeqView>& seqs, int n_free, int n_blocks,
                     StepLimits limits = kLimits) {
  const KvBudget budget{.n_free_blocks = n_free, .n_blocks = n_blocks, .block_size = 4};
  StepPlan result = FcfsScheduler(prefill).plan(seqs, budget, limits);
  if (prefill == FcfsScheduler::Prefill::kWhole) limits.max_prefill_chunk = limits.max_tokens;
  EXPECT_THAT(plan_check(seqs, budget, limits, result), ::testing::IsEmpty());
  return result;
}

inline StepPlan chunked(const std::vector<SeqView>& seqs, int n_free, int n_blocks, StepLimits limits = kLimits) {
  return plan(FcfsScheduler::Prefill::kChunked, seqs, n_free, n_blocks, limits);
}

inline StepPlan whole(const std::vector<SeqView>& seqs, int n_free, int n_blocks, StepLimits limits = kLimits) {
  return plan(FcfsScheduler::Prefill::kWhole, seqs, n_free, n_blocks, limits);
}

inline Scheduled row(std::uint64_t id, int first_position, int n_tokens, int n_new_blocks, bool samples) {
  return {RequestId(id), first_position, n_tokens, n_new_blocks, samples};
}

// A sequence that decodes: prompt 3, `total` tokens, all but the last computed.
inline SeqView decoding(std::uint64_t id, int total, int blocks) {
  return running(id, {.prompt = 3, .total = total, .computed = total - 1, .blocks = blocks, .max_total = 12});
}

}  // namespace mie::test
