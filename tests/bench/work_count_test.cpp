// Bytes and operations, counted by hand.
#include "bench/micro/work_count.h"

#include "bench/micro/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace mie::bench {
namespace {

using native::PackFormat;

TEST(WorkCount, LinearIsTwoOperationsAWeightAndRow) {
  EXPECT_EQ(linear_ops(1, 2, 3), 12);
  EXPECT_EQ(linear_ops(512, 3584, 18944), 69'524'783'104.0);
}

// A panel is 32 outputs. 64 inputs are two groups of 32: each 512 B of nibbles (1024 B of bytes), 64 B of scales, and for
// Q4_1 64 B of minima.
TEST(WorkCount, PanelsCountScalesAndMinima) {
  EXPECT_EQ(weight_bytes(PackFormat::kQ4_0, 64, 32), 2 * (512 + 64));
  EXPECT_EQ(weight_bytes(PackFormat::kQ4_1, 64, 32), 2 * (512 + 64 + 64));
  EXPECT_EQ(weight_bytes(PackFormat::kQ8_0, 64, 32), 2 * (1024 + 64));
  EXPECT_EQ(weight_bytes(PackFormat::kBf16, 64, 32), 64 * 32 * 2);
}

TEST(WorkCount, OutputsFillWholePanels) {
  EXPECT_EQ(weight_bytes(PackFormat::kBf16, 32, 33), 2 * 32 * 32 * 2);
  EXPECT_EQ(weight_bytes(PackFormat::kBf16, 32, 64), 2 * 32 * 32 * 2);
}

// Queries at 0, 1, 2 see 1, 2, 3 positions; one at 9 sees 10; two at 4 and 5 see 5 and 6.
TEST(WorkCount, CausalQueriesSeeThemselvesAndAllBefore) {
  EXPECT_EQ(causal_pairs(0, 3), 6);
  EXPECT_EQ(causal_pairs(9, 1), 10);
  EXPECT_EQ(causal_pairs(4, 2), 11);
  EXPECT_EQ(causal_pairs(0, 2048), 2'098'176);
}

// 6 pairs, 2 heads of 4: a score is 4 multiply-adds, so is the weighted value: 6 * 2 * (8 + 8).
TEST(WorkCount, AttentionIsTwoProductsAPairAndHead) {
  EXPECT_EQ(attention_ops({.n_heads = 2, .n_kv_heads = 1, .head_dim = 4}, 6), 192);
}

// SmolLM2-135M: 3 KV heads of 64, 2 bytes, K and V: 768 B a token and layer, 23,040 B over 30 layers.
TEST(WorkCount, KeysAndValuesAreCountedOnceAGroup) {
  const AttentionShape smollm2{.n_heads = 9, .n_kv_heads = 3, .head_dim = 64};
  EXPECT_EQ(kv_bytes(smollm2, 1), 768);
  EXPECT_EQ(kv_bytes(smollm2, 30), 23'040);
}

TEST(Steps, EverySequenceHasPagesOfItsOwn) {
  const auto set = SequenceSet::make(3, 70, 32);
  EXPECT_EQ(set.n_blocks, 3);
  const std::set<std::int32_t> distinct(set.blocks.begin(), set.blocks.end());
  EXPECT_EQ(distinct.size(), 9U);
  EXPECT_EQ(*distinct.begin(), 0);
  EXPECT_EQ(*distinct.rbegin(), 8);
}

TEST(Steps, RowsFollowTheSequences) {
  const StepBatch batch = step_of(SequenceSet::make(2, 64, 32), 10, 3, true);
  EXPECT_EQ(batch.positions, (std::vector<std::int32_t>{10, 11, 12, 10, 11, 12}));
  EXPECT_EQ(batch.row_starts, (std::vector<std::int32_t>{0, 3, 6}));
  EXPECT_EQ(batch.logits_rows, (std::vector<std::int32_t>{2, 5}));
  EXPECT_EQ(batch.max_blocks, 2);
}

}  // namespace
}  // namespace mie::bench
