// Growth, sharing and step times: small states worked out by hand.
#include "bench/kv/growth.h"

#include "bench/kv/sharing.h"
#include "bench/kv/step_time.h"
#include "bench/micro/random_model.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace mie::bench {
namespace {

// Three requests of 4 + 5 tokens; 8 of them are ever cached, in two blocks of 4. The pool has four.
std::vector<GrowthRequest> three() { return std::vector<GrowthRequest>(3, {.n_prompt = 4, .n_output = 5}); }

// Two run for five steps, then the third. Of 8 slots 4, 5, 6, 7, 8 are filled.
TEST(Growth, WholeAnswersReservedNeverPreempt) {
  const auto figures = grow(three(), {.block_size = 4, .n_blocks = 4, .reserve = Reserve::kWhole});
  EXPECT_EQ(figures.n_steps, 10);
  EXPECT_EQ(figures.n_sampled, 15);
  EXPECT_EQ(figures.n_computed, 24);
  EXPECT_EQ(figures.n_recomputed, 0);
  EXPECT_EQ(figures.n_preemptions, 0);
  EXPECT_EQ(figures.most_running, 2);
  EXPECT_DOUBLE_EQ(figures.mean_running, 1.5);
  EXPECT_DOUBLE_EQ(figures.mean_utilisation, 0.75);
  EXPECT_DOUBLE_EQ(figures.mean_waste, 0.25);
  EXPECT_EQ(figures.n_free_at_end, 4);
}

// Step 1: all three, a block each, all full. Step 2: the first takes the last free block, the third gives its own to the
// second. Steps 2 … 5: 10, 12, 14, 16 of 16 slots. Steps 6 … 9: the third again, its 4 computed tokens for the second time,
// 5, 6, 7, 8 of 8 slots.
TEST(Growth, GrowingSequencesPreemptTheYoungest) {
  const auto figures = grow(three(), {.block_size = 4, .n_blocks = 4, .reserve = Reserve::kGrowing});
  EXPECT_EQ(figures.n_steps, 9);
  EXPECT_EQ(figures.n_sampled, 15);
  EXPECT_EQ(figures.n_computed, 28);
  EXPECT_EQ(figures.n_recomputed, 4);
  EXPECT_EQ(figures.n_preemptions, 1);
  EXPECT_EQ(figures.most_running, 3);
  EXPECT_DOUBLE_EQ(figures.mean_running, 15.0 / 9);
  EXPECT_DOUBLE_EQ(figures.mean_utilisation, (0.75 + 4 * 1 + 4 * 0.5) / 9);
  EXPECT_DOUBLE_EQ(figures.mean_waste, (12.0 / 16 + 6.0 / 8) / 9);
  EXPECT_EQ(figures.n_free_at_end, 4);
}

TEST(Growth, ALargePoolPreemptsNobodyUnderEitherRule) {
  for (const Reserve reserve : {Reserve::kWhole, Reserve::kGrowing}) {
    const auto figures = grow(three(), {.block_size = 4, .n_blocks = 6, .reserve = reserve});
    EXPECT_EQ(figures.n_steps, 5);
    EXPECT_EQ(figures.n_preemptions, 0);
  }
}

TEST(Growth, TheFirstHalfOfALengthIsThePrompt) {
  const auto requests = halves_of(std::vector{8, 9});
  EXPECT_EQ(requests[0].n_prompt, 4);
  EXPECT_EQ(requests[0].n_output, 4);
  EXPECT_EQ(requests[1].n_prompt, 5);
  EXPECT_EQ(requests[1].n_output, 4);
}

// 3000 requests, five settings each: whatever was preempted, all answers are whole and the pool is free again. Contiguous,
// 42 fit at once.
TEST(Growth, TokensAndBlocksAreConservedForEveryList) {
  const auto rows = growth_rows(kv_length_lists(kKvSeed));
  EXPECT_EQ(rows.size(), 15U);
  for (const GrowthRow& row : rows) {
    EXPECT_TRUE(row.conserves()) << row.list << " " << row.setting.block_size;
    if (row.setting.block_size == kLongestSequence) EXPECT_EQ(row.figures.most_running, 42) << row.list;
  }
}

// p / B + n · own blocks.
TEST(Sharing, FullPrefixBlocksCountOnce) {
  struct Case {
    SharedPrefix shape;
    int block_size;
    std::int64_t shared, unshared;
  };
  for (const Case& one : {Case{{8, 64, 40}, 16, 4 + 8 * 3, 8 * 7}, Case{{64, 1024, 64}, 16, 64 + 64 * 4, 64 * 68},
                          Case{{64, 1024, 64}, 256, 4 + 64, 64 * 5},
                          Case{{3, 20, 10}, 16, 1 + 3, 3 * 2},  // the prefix's tail of 4 tokens is everybody's own
                          Case{{1, 32, 1}, 16, 3, 3}}) {
    EXPECT_EQ(blocks_with_sharing(one.shape, one.block_size), one.shared);
    EXPECT_EQ(blocks_without_sharing(one.shape, one.block_size), one.unshared);
    const SharedPool live(one.shape, one.block_size);
    EXPECT_EQ(live.pool().n_used(), one.shared);
    EXPECT_EQ(std::ssize(live.used_blocks()), one.shared);
  }
}

TEST(Sharing, TheTableAgreesWithThePool) {
  for (const SharingRow& row : sharing_rows(kSharedChat)) {
    EXPECT_TRUE(row.ways_agree()) << row.block_size;
    EXPECT_EQ(row.live, 1024 / row.block_size + 64 * ((64 + row.block_size - 1) / row.block_size)) << row.block_size;
  }
}

ModelSpec tiny_spec() {
  ModelSpec spec;
  spec.architecture = "llama";
  spec.n_vocab = spec.hidden = spec.ffn_hidden = 64;
  spec.n_layers = 1;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  spec.head_dim = spec.rope.n_rotary_dims = 32;
  spec.context_length = 128;
  spec.tied_embeddings = true;
  return spec;
}

// Every line runs; no figure is looked at but that there is one.
TEST(StepTimes, EveryBlockSizeAndContextThatTheModelHas) {
  const RandomModel model(tiny_spec());
  StepTimeSetting setting{.isa = native::best_isa(), .n_threads = 1, .block_sizes = {8, 32, 256}, .contexts = {20, 128, 4096}};
  setting.effort = {1e-6, 1, 0};
  const auto times = step_times(model.plan(), model, setting);
  ASSERT_TRUE(times.has_value()) << times.error().message;
  std::set<std::pair<int, int>> seen;
  for (const StepTime& time : *times) {
    seen.emplace(time.block_size, time.context);
    EXPECT_GT(time.min, 0);
    EXPECT_LE(time.min, time.seconds);
    EXPECT_LE(time.seconds, time.max);
  }
  EXPECT_EQ(times->size(), 6U) << "4096 tokens are more than the model takes";
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{8, 20}, {8, 128}, {32, 20}, {32, 128}, {256, 20}, {256, 128}}));
}

}  // namespace
}  // namespace mie::bench
