// Drafts that the FCFS scheduler adds to rows that it has planned.
#include "tests/sched/fcfs_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie {
namespace {

using test::chunked;
using test::decoding;
using test::drafting;
using test::ids;
using test::row;
using test::running;
using test::whole;
using ::testing::ElementsAre;

constexpr StepLimits kDrafting{.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 8, .draft_rows = 6};

Scheduled verifying(std::uint64_t id, int first_position, int n_drafts, int n_new_blocks) {
  return {RequestId(id), first_position, 1 + n_drafts, n_new_blocks, true, n_drafts};
}

TEST(FcfsSpeculation, DraftsFillASmallStepOldestFirst) {
  const std::vector<SeqView> seqs = {drafting(decoding(1, 5, 3), 3), drafting(decoding(2, 5, 3), 3), decoding(3, 5, 3)};
  EXPECT_THAT(chunked(seqs, 4, 13, kDrafting).run,
              ElementsAre(verifying(1, 4, 3, 0), row(2, 4, 1, 0, true), row(3, 4, 1, 0, true)));
  StepLimits one_more = kDrafting;
  one_more.draft_rows = 7;
  EXPECT_THAT(chunked(seqs, 4, 13, one_more).run,
              ElementsAre(verifying(1, 4, 3, 0), verifying(2, 4, 1, 0), row(3, 4, 1, 0, true)));
}

TEST(FcfsSpeculation, WithoutRowsForThemThereAreNone) {
  EXPECT_THAT(chunked({drafting(decoding(1, 5, 3), 3)}, 4, 13).run, ElementsAre(row(1, 4, 1, 0, true)));
}

TEST(FcfsSpeculation, DraftsTakeFreeBlocksButNobodysClaim) {
  const auto one = drafting(decoding(1, 5, 2), 4);  // three slots left in its blocks after its own row
  EXPECT_THAT(chunked({one}, 1, 3, kDrafting).run, ElementsAre(verifying(1, 4, 4, 1)));
  EXPECT_THAT(chunked({one}, 0, 2, kDrafting).run, ElementsAre(verifying(1, 4, 3, 0)));
  // The last free block is for the other's prompt.
  const auto prompt = running(2, {.prompt = 6, .total = 6, .computed = 4, .blocks = 1, .max_total = 8});
  EXPECT_THAT(chunked({one, prompt}, 1, 4, {.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 8, .draft_rows = 16}).run,
              ElementsAre(verifying(1, 4, 3, 0), row(2, 4, 2, 1, true)));
}

TEST(FcfsSpeculation, NoDraftsWhileSomebodyIsEvicted) {
  const StepPlan p = chunked({drafting(decoding(1, 9, 2), 3), drafting(decoding(2, 5, 1), 2)}, 0, 3, kDrafting);
  EXPECT_EQ(p.evict, ids({2}));
  EXPECT_THAT(p.run, ElementsAre(row(1, 8, 1, 1, true)));
}

TEST(FcfsSpeculation, WholePromptsFirstThenDrafts) {
  EXPECT_THAT(whole({drafting(decoding(1, 5, 3), 2)}, 4, 13, kDrafting).run, ElementsAre(verifying(1, 4, 2, 0)));
}

}  // namespace
}  // namespace mie
