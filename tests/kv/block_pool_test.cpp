#include "kv/block_pool.h"

#include "core/base/ensure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>
#include <vector>

namespace mie {
namespace {

using ::testing::ElementsAre;

std::vector<BlockId> take(BlockPool& pool, int n) {
  std::vector<BlockId> blocks;
  EXPECT_TRUE(pool.take(n, blocks));
  return blocks;
}

TEST(BlockPool, AllBlocksAreFreeAtTheStart) {
  const BlockPool pool(5);
  EXPECT_EQ(pool.n_blocks(), 5);
  EXPECT_EQ(pool.n_free(), 5);
  EXPECT_EQ(pool.n_used(), 0);
  for (int id = 0; id < 5; ++id) EXPECT_EQ(pool.n_references(BlockId(id)), 0);
}

TEST(BlockPool, TakeGivesDistinctBlocksWithOneReference) {
  BlockPool pool(4);
  const auto blocks = take(pool, 3);
  EXPECT_EQ(std::set<BlockId>(blocks.begin(), blocks.end()).size(), 3U);
  for (const BlockId block : blocks) EXPECT_EQ(pool.n_references(block), 1);
  EXPECT_EQ(pool.n_free(), 1);
  EXPECT_EQ(pool.n_used(), 3);
}

TEST(BlockPool, TakeAppends) {
  BlockPool pool(4);
  std::vector<BlockId> blocks = take(pool, 1);
  const BlockId first = blocks.front();
  EXPECT_TRUE(pool.take(2, blocks));
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks.front(), first);
}

TEST(BlockPool, TakeIsAllOrNothing) {
  BlockPool pool(4);
  std::vector<BlockId> blocks = take(pool, 2);
  const auto before = blocks;
  EXPECT_FALSE(pool.take(3, blocks));
  EXPECT_EQ(blocks, before);
  EXPECT_EQ(pool.n_free(), 2);
  EXPECT_TRUE(pool.take(2, blocks));
  EXPECT_EQ(pool.n_free(), 0);
  EXPECT_FALSE(pool.take(1, blocks));
  EXPECT_TRUE(pool.take(0, blocks));
}

TEST(BlockPool, TheBlockReleasedLastIsTakenFirst) {
  BlockPool pool(4);
  const auto blocks = take(pool, 4);
  pool.release(blocks[1]);
  pool.release(blocks[3]);
  pool.release(blocks[0]);
  EXPECT_THAT(take(pool, 3), ElementsAre(blocks[0], blocks[3], blocks[1]));
}

TEST(BlockPool, ASharedBlockIsFreeAfterItsLastRelease) {
  BlockPool pool(2);
  const BlockId block = take(pool, 1).front();
  pool.share(block);
  pool.share(block);
  EXPECT_EQ(pool.n_references(block), 3);
  pool.release(block);
  pool.release(block);
  EXPECT_EQ(pool.n_used(), 1);
  pool.release(block);
  EXPECT_EQ(pool.n_used(), 0);
}

TEST(BlockPool, DoubleReleaseThrowsAndChangesNothing) {
  BlockPool pool(3);
  const auto blocks = take(pool, 2);
  pool.release(blocks[0]);
  EXPECT_THROW(pool.release(blocks[0]), InvariantError);
  EXPECT_EQ(pool.n_free(), 2);
  EXPECT_EQ(pool.n_references(blocks[0]), 0);
  pool.check();
}

TEST(BlockPool, SharingAFreeBlockThrows) {
  BlockPool pool(1);
  EXPECT_THROW(pool.share(BlockId(0)), InvariantError);
  EXPECT_EQ(pool.n_references(BlockId(0)), 0);
}

TEST(BlockPool, IdsOutsideThePoolThrow) {
  BlockPool pool(2);
  for (const int id : {-1, 2, 1'000'000}) {
    EXPECT_THROW(pool.release(BlockId(id)), InvariantError) << id;
    EXPECT_THROW(pool.share(BlockId(id)), InvariantError) << id;
    EXPECT_THROW((void)pool.n_references(BlockId(id)), InvariantError) << id;
  }
}

TEST(BlockPool, NegativeCountsThrow) {
  EXPECT_THROW(BlockPool(-1), InvariantError);
  BlockPool pool(2);
  std::vector<BlockId> blocks;
  EXPECT_THROW((void)pool.take(-1, blocks), InvariantError);
  EXPECT_TRUE(blocks.empty());
}

TEST(BlockPool, AnEmptyPoolGivesNothing) {
  BlockPool pool(0);
  std::vector<BlockId> blocks;
  EXPECT_FALSE(pool.take(1, blocks));
  EXPECT_TRUE(pool.take(0, blocks));
  pool.check();
}

TEST(BlockPool, AHundredLivesLeakNothing) {
  BlockPool pool(4);
  for (int life = 0; life < 100; ++life) {
    const auto first = take(pool, 2);
    const auto second = take(pool, 2);
    EXPECT_EQ(pool.n_free(), 0);
    for (const BlockId block : first) pool.release(block);
    for (const BlockId block : second) pool.release(block);
  }
  EXPECT_EQ(pool.n_free(), 4);
  pool.check();
}

// Against a twin that keeps every reference as an entry of a multiset and the free blocks as a plain stack.
TEST(BlockPool, AgreesWithANaiveTwinOverRandomOperations) {
  constexpr int kBlocks = 37;
  constexpr int kOperations = 50'000;
  std::mt19937 random(2026);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  BlockPool pool(kBlocks);
  std::vector<int> free;
  for (int id = kBlocks - 1; id >= 0; --id) free.push_back(id);
  std::multiset<int> references;
  const auto any_used = [&] { return *std::next(references.begin(), static_cast<std::ptrdiff_t>(below(references.size()))); };

  for (int i = 0; i < kOperations; ++i) {
    switch (below(4)) {
      case 0: {
        const int n = static_cast<int>(below(6));
        std::vector<BlockId> taken;
        ASSERT_EQ(pool.take(n, taken), n <= static_cast<int>(free.size()));
        for (const BlockId block : taken) {
          ASSERT_EQ(block.value(), free.back());
          free.pop_back();
          references.insert(block.value());
        }
        break;
      }
      case 1: {
        if (references.empty()) break;
        const int id = any_used();
        pool.share(BlockId(id));
        references.insert(id);
        break;
      }
      case 2: {
        if (references.empty()) break;
        const int id = any_used();
        pool.release(BlockId(id));
        references.erase(references.find(id));
        if (!references.contains(id)) free.push_back(id);
        break;
      }
      default:
        if (!free.empty()) ASSERT_THROW(pool.release(BlockId(free[below(free.size())])), InvariantError);
    }
    ASSERT_EQ(pool.n_free(), static_cast<int>(free.size()));
    if (i % 16 != 0) continue;
    pool.check();
    for (int id = 0; id < kBlocks; ++id) ASSERT_EQ(pool.n_references(BlockId(id)), static_cast<int>(references.count(id)));
  }
}

TEST(BlockPool, AKeptBlockIsCachedWhenNobodyReferencesIt) {
  BlockPool pool(3);
  const auto blocks = take(pool, 2);
  pool.keep(blocks[0]);
  pool.release(blocks[0]);
  pool.release(blocks[1]);
  EXPECT_EQ(pool.n_cached(), 1);
  EXPECT_EQ(pool.n_free(), 2);
  EXPECT_EQ(pool.n_used(), 0);
  EXPECT_EQ(pool.n_available(), 3);
  EXPECT_EQ(pool.oldest_cached(), blocks[0]);
  std::vector<BlockId> more;
  EXPECT_FALSE(pool.take(3, more)) << "a cached block is handed out only once it is forgotten";
  pool.check();
  pool.share(blocks[0]);
  EXPECT_EQ(pool.n_references(blocks[0]), 1);
  EXPECT_EQ(pool.n_cached(), 0);
  EXPECT_FALSE(pool.oldest_cached());
  pool.release(blocks[0]);
  pool.forget(blocks[0]);
  EXPECT_TRUE(pool.take(3, more));
  pool.check();
}

TEST(BlockPool, AForgottenBlockThatIsUsedIsFreeAfterItsLastOwner) {
  BlockPool pool(1);
  const BlockId block = take(pool, 1).front();
  pool.keep(block);
  pool.forget(block);
  EXPECT_EQ(pool.n_references(block), 1);
  pool.release(block);
  EXPECT_EQ(pool.n_free(), 1);
  pool.check();
}

TEST(BlockPool, TheOldestCachedBlockIsTheOneReleasedFirst) {
  BlockPool pool(3);
  const auto blocks = take(pool, 3);
  for (const BlockId block : blocks) pool.keep(block);
  for (const std::size_t n : {1U, 0U, 2U}) pool.release(blocks[n]);
  EXPECT_EQ(pool.oldest_cached(), blocks[1]);
  pool.share(blocks[1]);
  EXPECT_EQ(pool.oldest_cached(), blocks[0]);
  pool.release(blocks[1]);
  pool.forget(blocks[0]);
  EXPECT_EQ(pool.oldest_cached(), blocks[2]);
}

TEST(BlockPool, OnlyUsedBlocksAreKeptAndOnlyKeptOnesForgotten) {
  BlockPool pool(2);
  EXPECT_THROW(pool.keep(BlockId(0)), InvariantError);
  EXPECT_THROW(pool.forget(BlockId(0)), InvariantError);
  EXPECT_THROW(pool.share(BlockId(0)), InvariantError);
  const BlockId block = take(pool, 1).front();
  pool.keep(block);
  pool.release(block);
  EXPECT_THROW(pool.release(block), InvariantError);
  pool.check();
}

}  // namespace
}  // namespace mie
