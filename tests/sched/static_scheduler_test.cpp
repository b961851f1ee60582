#include "core/sched/static_scheduler.h"

#include "core/sched/plan_check.h"
#include "tests/sched/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace mie {
namespace {

using test::running;
using test::waiting;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Blocks of 4 tokens; every plan must also pass the validator.
StepPlan plan(const std::vector<SeqView>& seqs, int n_free, int n_blocks, int max_seqs = 4, int max_tokens = 16) {
  const KvBudget budget{.n_free_blocks = n_free, .n_blocks = n_blocks, .block_size = 4};
  const StepLimits limits{.max_seqs = max_seqs, .max_tokens = max_tokens, .max_prefill_chunk = max_tokens};
  StepPlan result = StaticScheduler().plan(seqs, budget, limits);
  EXPECT_THAT(plan_check(seqs, budget, limits, result), IsEmpty());
  return result;
}

Scheduled row(std::uint64_t id, int first_position, int n_tokens, int n_new_blocks, bool samples) {
  return {RequestId(id), first_position, n_tokens, n_new_blocks, samples};
}

SeqView decoding(std::uint64_t id, int total, int blocks) {
  return running(id, {.prompt = 3, .total = total, .computed = total - 1, .blocks = blocks, .max_total = 12});
}

TEST(StaticScheduler, FillsTheBatchUpToTheCap) {
  const StepPlan p = plan({waiting(1, 3, 4), waiting(2, 5, 8), waiting(3, 3, 4)}, 9, 9, /*max_seqs=*/2);
  EXPECT_THAT(p.run, ElementsAre(row(1, 0, 3, 1, true), row(2, 0, 5, 2, true)));
}

TEST(StaticScheduler, NobodyEntersWhileTheBatchRuns) {
  const StepPlan p = plan({decoding(1, 5, 2), waiting(2, 3, 4)}, 9, 11);
  EXPECT_THAT(p.run, ElementsAre(row(1, 4, 1, 0, true)));
}

TEST(StaticScheduler, TheBatchDecodesTogether) {
  const StepPlan p = plan({decoding(1, 5, 2), decoding(2, 9, 2), decoding(3, 4, 1)}, 5, 10);
  EXPECT_THAT(p.run, ElementsAre(row(1, 4, 1, 0, true), row(2, 8, 1, 1, true), row(3, 3, 1, 0, true)));
}

TEST(StaticScheduler, TheBatchIsAsLargeAsItsFullGrowthAllows) {
  // Lifetimes of 3, 2 and 1 blocks in a pool of 5: the third does not fit any more, and nobody behind it is asked.
  const StepPlan p = plan({waiting(1, 2, 12), waiting(2, 2, 8), waiting(3, 2, 4)}, 5, 5);
  EXPECT_THAT(p.run, ElementsAre(row(1, 0, 2, 1, true), row(2, 0, 2, 1, true)));
  EXPECT_EQ(plan({waiting(1, 2, 12), waiting(2, 2, 8), waiting(3, 2, 4)}, 6, 6).run.size(), 3U);
}

TEST(StaticScheduler, EveryMemberGetsARowInTheStepThatFills) {
  const StepPlan p = plan({waiting(1, 6, 8), waiting(2, 6, 8), waiting(3, 6, 8)}, 6, 6, /*max_seqs=*/4, /*max_tokens=*/8);
  EXPECT_THAT(p.run, ElementsAre(row(1, 0, 6, 2, true), row(2, 0, 1, 1, false), row(3, 0, 1, 1, false)));
}

TEST(StaticScheduler, ABatchHasNoMoreMembersThanAStepHasRows) {
  const StepPlan p = plan({waiting(1, 1, 4), waiting(2, 1, 4), waiting(3, 1, 4)}, 6, 6, /*max_seqs=*/4, /*max_tokens=*/2);
  EXPECT_EQ(p.run.size(), 2U);
}

TEST(StaticScheduler, DecodesWaitUntilEveryPromptIsComputed) {
  const SeqView prefilling = running(2, {.prompt = 6, .total = 6, .computed = 1, .blocks = 1, .max_total = 8});
  EXPECT_THAT(plan({decoding(1, 5, 2), prefilling}, 5, 8).run, ElementsAre(row(2, 1, 5, 1, true)));
}

TEST(StaticScheduler, RejectsWhatNoPoolStateCanHold) {
  const StepPlan p = plan({waiting(1, 3, 17), waiting(2, 3, 16)}, 4, 4);
  EXPECT_THAT(p.reject, ElementsAre(RequestId(1)));
  EXPECT_THAT(p.run, ElementsAre(row(2, 0, 3, 1, true)));
}

}  // namespace
}  // namespace mie
