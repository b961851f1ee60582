#include "core/sched/fcfs_scheduler.h"

#include "core/base/ensure.h"
#include "tests/sched/fcfs_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace mie {
namespace {

using test::chunked;
using test::decoding;
using test::ids;
using test::kLimits;
using test::row;
using test::running;
using test::waiting;
using test::whole;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FcfsChunked, NothingToDoIsAnEmptyPlan) { EXPECT_EQ(chunked({}, 8, 8), StepPlan{}); }

TEST(FcfsChunked, AdmitsInOrderOfArrival) {
  const StepPlan p = chunked({waiting(1, 3, 8), waiting(2, 5, 8), waiting(3, 2, 8)}, 8, 8);
  EXPECT_THAT(p.run, ElementsAre(row(1, 0, 3, 1, true), row(2, 0, 5, 2, true), row(3, 0, 2, 1, true)));
}

TEST(FcfsChunked, KeepsTheSequenceCap) {
  const StepPlan p =
      chunked({decoding(1, 5, 2), decoding(2, 5, 2), decoding(3, 5, 2), waiting(4, 1, 4), waiting(5, 1, 4)}, 9, 15);
  ASSERT_EQ(p.run.size(), 4U);
  EXPECT_EQ(p.run.back().id, RequestId(4));
}

TEST(FcfsChunked, AFinishedSequenceMakesPlaceForTheNextInLine) {
  const StepLimits two{.max_seqs = 2, .max_tokens = 16, .max_prefill_chunk = 8};
  EXPECT_EQ(chunked({decoding(1, 5, 2), decoding(2, 5, 2), waiting(3, 1, 4)}, 9, 13, two).run.size(), 2U);
  EXPECT_EQ(chunked({decoding(2, 5, 2), waiting(3, 1, 4)}, 11, 13, two).run.back(), row(3, 0, 1, 1, true));
}

TEST(FcfsChunked, DecodesComeBeforePrefillsAndNewcomers) {
  const SeqView prefilling = running(1, {.prompt = 12, .total = 12, .computed = 8, .blocks = 2, .max_total = 16});
  const StepPlan p = chunked({prefilling, decoding(2, 5, 2), waiting(3, 2, 4)}, 9, 13);
  EXPECT_THAT(p.run, ElementsAre(row(2, 4, 1, 0, true), row(1, 8, 4, 1, true), row(3, 0, 2, 1, true)));
}

TEST(FcfsChunked, APromptIsCutAtTheChunk) {
  const StepPlan p = chunked({waiting(1, 20, 24)}, 8, 8);
  EXPECT_THAT(p.run, ElementsAre(row(1, 0, 8, 2, false)));
}

TEST(FcfsChunked, APromptIsCutAtTheRowBudget) {
  const StepLimits ten{.max_seqs = 4, .max_tokens = 10, .max_prefill_chunk = 8};
  const StepPlan p = chunked({decoding(1, 5, 2), waiting(2, 7, 8), waiting(3, 7, 8), waiting(4, 1, 4)}, 12, 14, ten);
  EXPECT_THAT(p.run, ElementsAre(row(1, 4, 1, 0, true), row(2, 0, 7, 2, true), row(3, 0, 2, 1, false)));
}

TEST(FcfsChunked, AChunkThatReachesTheEndSamples) {
  const SeqView at8 = running(1, {.prompt = 13, .total = 13, .computed = 8, .blocks = 2, .max_total = 16});
  EXPECT_THAT(chunked({at8}, 8, 10).run, ElementsAre(row(1, 8, 5, 2, true)));
}

// The prompt's last token alone is a prefill: decodes go first.
TEST(FcfsChunked, APromptThatIsOnlyScoredSamplesNothing) {
  EXPECT_THAT(chunked({waiting(1, 6, 6)}, 4, 4).run, ElementsAre(row(1, 0, 6, 2, false)));
  const auto last = running(1, {.prompt = 9, .total = 9, .computed = 8, .blocks = 2, .max_total = 9});
  EXPECT_THAT(chunked({last}, 4, 6).run, ElementsAre(row(1, 8, 1, 1, false)));
}

TEST(FcfsChunked, TheLastTokenOfAPromptIsNotADecode) {
  const SeqView last = running(1, {.prompt = 9, .total = 9, .computed = 8, .blocks = 2, .max_total = 12});
  const StepPlan p = chunked({last, decoding(2, 5, 2)}, 4, 8);
  EXPECT_THAT(p.run, ElementsAre(row(2, 4, 1, 0, true), row(1, 8, 1, 1, true)));
}

TEST(FcfsChunked, ADecodeTakesABlockOnlyAtABlockBound) {
  EXPECT_THAT(chunked({decoding(1, 8, 2)}, 4, 6).run, ElementsAre(row(1, 7, 1, 0, true)));  // position 7, blocks of 4
  EXPECT_THAT(chunked({decoding(1, 9, 2)}, 4, 6).run, ElementsAre(row(1, 8, 1, 1, true)));
}

TEST(FcfsChunked, EvictsTheYoungestUntilTheRestFit) {
  const StepPlan p = chunked({decoding(1, 9, 2), decoding(2, 9, 2), decoding(3, 5, 1), decoding(4, 5, 2)}, 0, 7);
  // 1, 2 and 3 each lack a block. Without 4 there are two, without 3 as well three for the two that are left.
  EXPECT_THAT(p.evict, ElementsAre(RequestId(4), RequestId(3)));
  EXPECT_THAT(p.run, ElementsAre(row(1, 8, 1, 1, true), row(2, 8, 1, 1, true)));
}

TEST(FcfsChunked, TheYoungestIsEvictedEvenIfItIsTheOneInNeed) {
  const StepPlan p = chunked({decoding(1, 8, 2), decoding(2, 9, 2)}, 0, 4);
  EXPECT_THAT(p.evict, ElementsAre(RequestId(2)));
  EXPECT_THAT(p.run, ElementsAre(row(1, 7, 1, 0, true)));
}

TEST(FcfsChunked, NobodyIsEvictedWhileTheBlocksSuffice) {
  EXPECT_THAT(chunked({decoding(1, 9, 2), decoding(2, 9, 2)}, 2, 6).evict, IsEmpty());
}

TEST(FcfsChunked, NobodyIsEvictedForSomeoneWaiting) {
  const StepPlan p = chunked({decoding(1, 8, 2), decoding(2, 8, 2), waiting(3, 4, 8)}, 0, 4);
  EXPECT_THAT(p.evict, IsEmpty());
  EXPECT_EQ(p.run.size(), 2U);
}

TEST(FcfsChunked, NobodyEntersInAStepThatEvicts) {
  // Evicting 2 frees three blocks, of which 1 takes one; 3 would fit the other two.
  const SeqView young = running(2, {.prompt = 3, .total = 9, .computed = 8, .blocks = 3, .max_total = 12});
  const StepPlan p = chunked({decoding(1, 9, 2), young, waiting(3, 1, 4)}, 0, 5);
  EXPECT_THAT(p.evict, ElementsAre(RequestId(2)));
  EXPECT_THAT(p.run, ElementsAre(row(1, 8, 1, 1, true)));
}

TEST(FcfsChunked, AnOlderPrefillEvictsAYoungerDecodeAndTakesItsRow) {
  const SeqView prefilling = running(1, {.prompt = 12, .total = 12, .computed = 8, .blocks = 2, .max_total = 16});
  const StepPlan p = chunked({prefilling, decoding(2, 5, 2)}, 0, 4);
  EXPECT_THAT(p.evict, ElementsAre(RequestId(2)));
  EXPECT_THAT(p.run, ElementsAre(row(1, 8, 4, 1, true)));
}

TEST(FcfsChunked, TheRowOfAnEvictedDecodeGoesToTheOneItGaveWayTo) {
  const SeqView prefilling = running(1, {.prompt = 12, .total = 12, .computed = 8, .blocks = 2, .max_total = 16});
  const StepLimits two{.max_seqs = 2, .max_tokens = 2, .max_prefill_chunk = 2};
  const StepPlan p = chunked({prefilling, decoding(2, 5, 2)}, 0, 4, two);
  EXPECT_THAT(p.evict, ElementsAre(RequestId(2)));
  EXPECT_THAT(p.run, ElementsAre(row(1, 8, 2, 1, false)));
}

TEST(FcfsChunked, AChunkShrinksToTheFreeBlocksBeforeAnyoneIsEvicted) {
  const SeqView prefilling = running(1, {.prompt = 16, .total = 16, .computed = 4, .blocks = 1, .max_total = 16});
  const StepPlan p = chunked({prefilling, decoding(2, 5, 2)}, 1, 4);
  EXPECT_THAT(p.evict, IsEmpty());
  EXPECT_THAT(p.run, ElementsAre(row(2, 4, 1, 0, true), row(1, 4, 4, 1, false)));
}

TEST(FcfsChunked, APrefillWithoutRoomWaitsForOlderOnes) {
  const SeqView prefilling = running(2, {.prompt = 8, .total = 8, .computed = 4, .blocks = 1, .max_total = 12});
  const StepPlan p = chunked({decoding(1, 8, 3), prefilling}, 0, 4);
  EXPECT_THAT(p.evict, IsEmpty());
  EXPECT_THAT(p.run, ElementsAre(row(1, 7, 1, 0, true)));
}

TEST(FcfsChunked, TheFirstInLineThatDoesNotFitStopsTheLine) {
  const StepPlan p = chunked({decoding(1, 8, 2), waiting(2, 16, 20), waiting(3, 1, 4)}, 3, 5);
  EXPECT_THAT(p.run, ElementsAre(row(1, 7, 1, 0, true)));
}

// 6 tokens and a block's length more take 3 blocks of 4; 5 tokens and 4 more take 3, of which 1 has two.
TEST(FcfsChunked, ANewcomerNeedsRoomForABlocksLengthOfEverybody) {
  EXPECT_EQ(chunked({decoding(1, 5, 2), waiting(2, 6, 12)}, 4, 6).run.size(), 2U);
  EXPECT_EQ(chunked({decoding(1, 5, 2), waiting(2, 6, 12)}, 3, 5).run.size(), 1U);
  EXPECT_EQ(chunked({decoding(1, 5, 2), waiting(2, 6, 8)}, 3, 5).run.size(), 2U) << "it grows to 8 tokens only";
}

// 10 tokens are computed in two blocks of others and the copied half of a third: 2 rows are left of its prompt.
TEST(FcfsChunked, ANewcomerStartsBehindWhatItFinds) {
  SeqView finds = waiting(2, 12, 13);
  finds.n_computed = 10;
  finds.n_blocks = 2;
  EXPECT_THAT(chunked({decoding(1, 5, 2), finds}, 3, 8).run, ElementsAre(row(1, 4, 1, 0, true), row(2, 10, 2, 1, true)));
  finds.n_own_blocks = 2;  // cached: they are among the three free ones
  EXPECT_EQ(chunked({decoding(1, 5, 2), finds}, 4, 8).run.size(), 1U);
  EXPECT_EQ(chunked({decoding(1, 5, 2), finds}, 5, 8).run.size(), 2U);
}

TEST(FcfsChunked, OneThatIsHeldLetsOthersPass) {
  SeqView held = waiting(2, 4, 8);
  held.held = true;
  EXPECT_THAT(chunked({decoding(1, 5, 2), held, waiting(3, 2, 4)}, 8, 10).run,
              ElementsAre(row(1, 4, 1, 0, true), row(3, 0, 2, 1, true)));
}

// 1 and 3 lack a block each. Of the three blocks of 2 two are shared: its eviction frees one, so 3 goes as well.
TEST(FcfsChunked, AnEvictionFreesOnlyWhatNobodyShares) {
  SeqView shares = decoding(2, 9, 3);
  shares.n_own_blocks = 1;
  const StepPlan p = chunked({decoding(1, 9, 2), decoding(3, 9, 2), shares}, 0, 7);
  EXPECT_EQ(p.evict, ids({2, 3}));
  EXPECT_THAT(p.run, ElementsAre(row(1, 8, 1, 1, true)));
}

TEST(FcfsChunked, ANewcomerMayFillThePoolWhenItGrowsNoFurther) {
  EXPECT_THAT(chunked({waiting(1, 8, 8)}, 2, 2).run, ElementsAre(row(1, 0, 8, 2, false)));
}

TEST(FcfsChunked, BlocksThatRunningPrefillsStillNeedAreNotGivenToNewcomers) {
  const SeqView prefilling = running(1, {.prompt = 20, .total = 20, .computed = 4, .blocks = 1, .max_total = 24});
  // 6 free: the prefill takes 2 now and claims 3 more; one is left, the newcomer claims two.
  EXPECT_THAT(chunked({prefilling, waiting(2, 4, 8)}, 6, 7).run, ElementsAre(row(1, 4, 8, 2, false)));
  EXPECT_EQ(chunked({prefilling, waiting(2, 4, 8)}, 7, 8).run.size(), 2U);
}

TEST(FcfsChunked, APreemptedSequenceRecomputesAllItsTokens) {
  SeqView preempted = waiting(1, 3, 12);
  preempted.n_total = 7;
  EXPECT_THAT(chunked({preempted, waiting(2, 2, 4)}, 8, 8).run, ElementsAre(row(1, 0, 7, 2, true), row(2, 0, 2, 1, true)));
}

TEST(FcfsChunked, RejectsWhatNoPoolStateCanHold) {
  // 4 blocks of 4 tokens.
  const StepPlan p = chunked({waiting(1, 3, 17), waiting(2, 3, 16), waiting(3, 20, 30)}, 4, 4);
  EXPECT_THAT(p.reject, ElementsAre(RequestId(1), RequestId(3)));
  EXPECT_THAT(p.run, ElementsAre(row(2, 0, 3, 1, true)));
}

TEST(FcfsChunked, RejectionDoesNotWaitForItsTurn) {
  const StepPlan p = chunked({decoding(1, 8, 2), waiting(2, 8, 12), waiting(3, 3, 17)}, 2, 4);
  EXPECT_THAT(p.reject, ElementsAre(RequestId(3)));
  EXPECT_EQ(p.run.size(), 1U);
}

TEST(FcfsChunked, MoreDecodesThanRowsServesTheOldest) {
  const StepLimits two{.max_seqs = 4, .max_tokens = 2, .max_prefill_chunk = 2};
  const StepPlan p = chunked({decoding(1, 5, 2), decoding(2, 5, 2), decoding(3, 9, 2)}, 0, 6, two);
  EXPECT_THAT(p.evict, IsEmpty());  // 3 has no row, so its block is not missed
  EXPECT_THAT(p.run, ElementsAre(row(1, 4, 1, 0, true), row(2, 4, 1, 0, true)));
}

TEST(FcfsChunked, TheContiguousBaselineTakesOneBlockASequence) {
  const KvBudget budget{.n_free_blocks = 2, .n_blocks = 2, .block_size = 2048};
  const std::vector<SeqView> seqs{waiting(1, 3, 2048), waiting(2, 3, 100), waiting(3, 3, 100)};
  const StepPlan p = FcfsScheduler(FcfsScheduler::Prefill::kChunked).plan(seqs, budget, kLimits);
  EXPECT_THAT(p.run, ElementsAre(row(1, 0, 3, 1, true), row(2, 0, 3, 1, true)));
}

TEST(FcfsChunked, MalformedInputIsABug) {
  const KvBudget budget{.n_free_blocks = 2, .n_blocks = 2, .block_size = 4};
  const FcfsScheduler scheduler(FcfsScheduler::Prefill::kChunked);
  const std::vector<SeqView> wrong_order{waiting(1, 3, 8), decoding(2, 5, 2)};
  EXPECT_THROW((void)scheduler.plan(wrong_order, budget, kLimits), InvariantError);
  EXPECT_THROW((void)scheduler.plan({}, budget, {.max_seqs = 0, .max_tokens = 1, .max_prefill_chunk = 1}), InvariantError);
  EXPECT_THROW((void)scheduler.plan({}, budget, {.max_seqs = 1, .max_tokens = 0, .max_prefill_chunk = 1}), InvariantError);
  EXPECT_THROW((void)scheduler.plan({}, budget, {.max_seqs = 1, .max_tokens = 1, .max_prefill_chunk = 0}), InvariantError);
  EXPECT_THROW((void)scheduler.plan({}, {.n_free_blocks = 2, .n_blocks = 2, .block_size = 0}, kLimits), InvariantError);
}

TEST(FcfsWhole, ANewcomersPromptHasAStepOfItsOwn) {
  const StepPlan p = whole({decoding(1, 5, 2), waiting(2, 12, 16)}, 9, 11);
  EXPECT_THAT(p.run, ElementsAre(row(2, 0, 12, 3, true)));
}

TEST(FcfsWhole, DecodesRunWhenNobodyCanEnter) {
  const StepLimits one_seat{.max_seqs = 2, .max_tokens = 16, .max_prefill_chunk = 8};
  const StepPlan p = whole({decoding(1, 5, 2), decoding(2, 5, 2), waiting(3, 2, 4)}, 9, 13, one_seat);
  EXPECT_THAT(p.run, ElementsAre(row(1, 4, 1, 0, true), row(2, 4, 1, 0, true)));
}

// The sum of prompts is the limit: 6 + 5 of 10 keeps one out, 6 + 4 takes both.
TEST(FcfsWhole, PromptsShareAStepUpToTheRowBudget) {
  const StepLimits ten{.max_seqs = 4, .max_tokens = 10, .max_prefill_chunk = 4};
  EXPECT_THAT(whole({waiting(1, 6, 8), waiting(2, 5, 8)}, 8, 8, ten).run, ElementsAre(row(1, 0, 6, 2, true)));
  EXPECT_THAT(whole({waiting(1, 6, 8), waiting(2, 4, 8)}, 8, 8, ten).run,
              ElementsAre(row(1, 0, 6, 2, true), row(2, 0, 4, 1, true)));
}

TEST(FcfsWhole, APromptLongerThanAStepBeginsOnlyAsItsFirst) {
  const StepLimits ten{.max_seqs = 4, .max_tokens = 10, .max_prefill_chunk = 4};
  EXPECT_THAT(whole({waiting(1, 2, 8), waiting(2, 14, 16)}, 8, 8, ten).run, ElementsAre(row(1, 0, 2, 1, true)));
  EXPECT_THAT(whole({waiting(2, 14, 16), waiting(3, 2, 8)}, 8, 8, ten).run, ElementsAre(row(2, 0, 10, 3, false)));
}

TEST(FcfsWhole, ALongPromptGoesOnBeforeAnyoneDecodes) {
  const StepLimits ten{.max_seqs = 4, .max_tokens = 10, .max_prefill_chunk = 4};
  const SeqView halfway = running(2, {.prompt = 14, .total = 14, .computed = 10, .blocks = 3, .max_total = 16});
  const StepPlan p = whole({decoding(1, 5, 2), halfway, waiting(3, 6, 8), waiting(4, 1, 4)}, 6, 11, ten);
  EXPECT_THAT(p.run, ElementsAre(row(2, 10, 4, 1, true), row(3, 0, 6, 2, true)));
}

TEST(FcfsWhole, EvictsTheYoungestWhenDecodesRunShort) {
  const StepPlan p = whole({decoding(1, 9, 2), decoding(2, 5, 2), waiting(3, 3, 8)}, 0, 4);
  EXPECT_THAT(p.evict, ElementsAre(RequestId(2)));
  EXPECT_THAT(p.run, ElementsAre(row(1, 8, 1, 1, true)));
}

TEST(FcfsWhole, DecodesRunWhenAPrefillCannotGoOn) {
  const SeqView stuck = running(2, {.prompt = 8, .total = 8, .computed = 4, .blocks = 1, .max_total = 12});
  EXPECT_THAT(whole({decoding(1, 8, 3), stuck}, 0, 4).run, ElementsAre(row(1, 7, 1, 0, true)));
}

TEST(FcfsSerial, OneSequenceWhateverTheLimitsSay) {
  const FcfsScheduler serial(FcfsScheduler::Prefill::kWhole, /*max_seqs=*/1);
  const KvBudget budget{.n_free_blocks = 8, .n_blocks = 8, .block_size = 4};
  EXPECT_EQ(serial.plan(std::vector{waiting(1, 3, 8), waiting(2, 3, 8)}, budget, kLimits).run.size(), 1U);
  EXPECT_THAT(serial.plan(std::vector{decoding(1, 5, 2), waiting(2, 3, 8)}, budget, kLimits).run,
              ElementsAre(row(1, 4, 1, 0, true)));
}

}  // namespace
}  // namespace mie
