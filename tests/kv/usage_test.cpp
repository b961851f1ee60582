#include "kv/usage.h"

#include "core/base/ensure.h"
#include "kv/page_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <vector>

namespace mie {
namespace {

constexpr int kBytesPerToken = 12'288;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// Per cent with two digits, as the published tables print it.
double per_cent(double ratio) { return std::round(ratio * 10'000) / 100; }

// A live cache that holds sequences of these lengths.
struct LiveCache {
  LiveCache(std::span<const int> lengths, int block_size, int n_blocks) : pool(n_blocks) {
    for (const int length : lengths) {
      BlockTable& table = tables.emplace_back(pool, block_size);
      EXPECT_TRUE(table.append(blocks_for(length, block_size)));
      sequences.push_back({&table, length});
    }
  }

  BlockPool pool;
  std::list<BlockTable> tables;
  std::vector<CachedTokens> sequences;
};

struct FragmentationRow {
  int max_seq_len, reserved, wasted;
  double waste;
};

// Contiguous fragmentation, experiment EXP-2026-015: lengths 64, 128, 256, 384.
TEST(KvUsage, ReproducesTheContiguousFragmentationRows) {
  const std::vector<int> lengths{64, 128, 256, 384};
  for (const FragmentationRow& row :
       {FragmentationRow{512, 2048, 1216, 59.38}, {1024, 4096, 3264, 79.69}, {2048, 8192, 7360, 89.84}}) {
    const LiveCache live(lengths, row.max_seq_len, 4);
    for (const KvUsage& usage :
         {usage_of(live.pool, row.max_seq_len, live.sequences), usage_of_lengths(lengths, row.max_seq_len)}) {
      EXPECT_EQ(usage.reserved_slots, row.reserved);
      EXPECT_EQ(usage.used_slots, 832);
      EXPECT_EQ(usage.wasted_slots(), row.wasted);
      EXPECT_EQ(per_cent(usage.waste()), row.waste);
    }
  }
}

TEST(KvUsage, TheSameLengthsInPagesOf16WasteNothing) {
  const std::vector<int> lengths{64, 128, 256, 384};
  const LiveCache live(lengths, 16, 60);
  const KvUsage usage = usage_of(live.pool, 16, live.sequences);
  EXPECT_EQ(usage.n_used_blocks, 52);
  EXPECT_EQ(usage.reserved_slots, 832);
  EXPECT_EQ(usage.waste(), 0);
  EXPECT_EQ(usage.utilisation(), 52.0 / 60.0);
}

TEST(KvUsage, WasteOf640TokensIn1024Slots) {
  const std::vector<int> lengths{640};
  const LiveCache live(lengths, 1024, 1);
  EXPECT_EQ(usage_of(live.pool, 1024, live.sequences).waste(), 384.0 / 1024.0);
}

TEST(KvUsage, AFullReservationWastesNothing) {
  const std::vector<int> lengths{1024};
  EXPECT_EQ(usage_of_lengths(lengths, 1024).waste(), 0);
}

TEST(KvUsage, AnIdleCacheHasNoWasteAndNoUtilisation) {
  const BlockPool pool(4), empty(0);
  EXPECT_EQ(usage_of(pool, 16, {}).waste(), 0);
  EXPECT_EQ(usage_of(pool, 16, {}).utilisation(), 0);
  EXPECT_EQ(usage_of(empty, 16, {}).utilisation(), 0);
}

TEST(KvUsage, SharedSlotsCountOnce) {
  BlockPool pool(8);
  BlockTable a(pool, 16), b(pool, 16);
  ASSERT_TRUE(a.append(2));
  for (const BlockId block : a.blocks()) pool.share(block);
  b.adopt(a.blocks());
  ASSERT_TRUE(b.append(1));
  const std::vector<CachedTokens> sequences{{&a, 32}, {&b, 37}};
  const KvUsage usage = usage_of(pool, 16, sequences);
  EXPECT_EQ(usage.reserved_slots, 48);
  EXPECT_EQ(usage.used_slots, 37);
}

TEST(KvUsage, ABlockWithoutASequenceIsReservedAndEmpty) {
  BlockPool pool(4);
  std::vector<BlockId> cached;
  ASSERT_TRUE(pool.take(1, cached));
  EXPECT_EQ(usage_of(pool, 16, {}).wasted_slots(), 16);
}

// The same state as live tables and as a copy of them.
TEST(KvUsage, ACopyHasTheUsageOfTheLiveState) {
  const std::vector<int> lengths{5, 16, 40};
  const LiveCache live(lengths, 16, 9);
  std::vector<CachedBlocks> copies;
  for (const CachedTokens& sequence : live.sequences) copies.push_back({sequence.table->blocks(), sequence.n_tokens});
  const KvUsage usage = usage_of_copy({9, 5}, 16, copies);
  EXPECT_EQ(usage.n_used_blocks, usage_of(live.pool, 16, live.sequences).n_used_blocks);
  EXPECT_EQ(usage.reserved_slots, 80);
  EXPECT_EQ(usage.used_slots, 61);
  const std::vector<BlockId> elsewhere{BlockId(9)};
  EXPECT_THROW((void)usage_of_copy({9, 5}, 16, std::vector<CachedBlocks>{{elsewhere, 1}}), InvariantError);
}

TEST(KvUsage, TablesOfAnotherCacheThrow) {
  BlockPool pool(4), other(4);
  BlockTable table(other, 16);
  const std::vector<CachedTokens> foreign{{&table, 0}};
  EXPECT_THROW((void)usage_of(pool, 16, foreign), InvariantError);
  EXPECT_THROW((void)usage_of(other, 32, foreign), InvariantError);
  const std::vector<CachedTokens> overfull{{&table, 1}};
  EXPECT_THROW((void)usage_of(other, 16, overfull), InvariantError);
}

// 1000 lengths with the given totals: every sequence has ⌊blocks/1000⌋ blocks or one more, and the last block of each is as
// full as the total of tokens asks.
std::vector<int> lengths_with(int n_blocks, int n_tokens, int block_size) {
  constexpr int kSequences = 1000;
  std::vector<int> lengths;
  int surplus = n_blocks * block_size - n_tokens;
  for (int i = 0; i < kSequences; ++i) {
    const int blocks = n_blocks / kSequences + (i < n_blocks % kSequences ? 1 : 0);
    const int empty = std::min(surplus, block_size - 1);
    surplus -= empty;
    lengths.push_back(blocks * block_size - empty);
  }
  EXPECT_EQ(surplus, 0);
  return lengths;
}

struct CapacityRow {
  int block_size, n_tokens, n_blocks;
  double waste;
  int by_mean;
};

// Paged against contiguous, experiment EXP-2026-016: many_short, mixed, many_long at three block sizes.
TEST(KvUsage, ReproducesThePublishedWasteAndMeanCapacity) {
  for (const CapacityRow& row : {CapacityRow{16, 36'899, 2'740, 15.83, 1993},
                                 {32, 36'899, 1'589, 27.43, 1718},
                                 {64, 36'899, 1'000, 42.35, 1365},
                                 {16, 672'937, 42'527, 1.10, 128},
                                 {32, 672'937, 21'514, 2.25, 126},
                                 {64, 672'937, 10'999, 4.40, 124},
                                 {16, 1'263'619, 79'449, 0.60, 68},
                                 {32, 1'263'619, 39'968, 1.20, 68},
                                 {64, 1'263'619, 20'237, 2.44, 67}}) {
    const auto lengths = lengths_with(row.n_blocks, row.n_tokens, row.block_size);
    const KvUsage usage = usage_of_lengths(lengths, row.block_size);
    EXPECT_EQ(usage.n_used_blocks, row.n_blocks);
    EXPECT_EQ(usage.used_slots, row.n_tokens);
    EXPECT_EQ(per_cent(usage.waste()), row.waste) << row.block_size << " " << row.n_tokens;
    EXPECT_EQ(sequences_by_mean(lengths, row.block_size, kGiB, kBytesPerToken), row.by_mean);
  }
}

TEST(KvUsage, TheContiguousCacheHolds42Sequences) {
  const std::vector<int> lengths{1, 700, 2048};
  EXPECT_EQ(sequences_by_mean(lengths, 2048, kGiB, kBytesPerToken), 42);
  EXPECT_EQ(sequences_that_fit(lengths, 2048, 42), 42);
}

TEST(KvUsage, SequencesFitInOrderUntilTheFirstThatDoesNot) {
  const std::vector<int> lengths{16, 40, 1};  // 1, 3, 1 blocks of 16
  EXPECT_EQ(sequences_that_fit(lengths, 16, 0), 0);
  EXPECT_EQ(sequences_that_fit(lengths, 16, 1), 1);
  EXPECT_EQ(sequences_that_fit(lengths, 16, 3), 1);  // the third would fit, and is not asked
  EXPECT_EQ(sequences_that_fit(lengths, 16, 4), 2);
  EXPECT_EQ(sequences_that_fit(lengths, 16, 5), 3);
  EXPECT_EQ(sequences_that_fit(lengths, 16, 14), 8);
  EXPECT_THROW((void)sequences_that_fit({}, 16, 4), InvariantError);
}

TEST(KvUsage, ALivePoolAdmitsAsManyAsTheClosedFormSays) {
  const std::vector<int> lengths{5, 100, 33, 64, 1, 17};
  for (int n_blocks = 0; n_blocks < 200; ++n_blocks) {
    BlockPool pool(n_blocks);
    std::list<BlockTable> tables;
    std::int64_t n = 0;
    while (tables.emplace_back(pool, 8).append(blocks_for(lengths[static_cast<std::size_t>(n) % lengths.size()], 8))) ++n;
    ASSERT_EQ(sequences_that_fit(lengths, 8, n_blocks), n) << n_blocks;
  }
}

}  // namespace
}  // namespace mie
