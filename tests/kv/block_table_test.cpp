#include "kv/block_table.h"

#include "core/base/ensure.h"
#include "kv/page_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <utility>

namespace mie {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BlockTable, StartsWithoutBlocks) {
  BlockPool pool(4);
  const BlockTable table(pool, 16);
  EXPECT_EQ(table.n_blocks(), 0);
  EXPECT_EQ(table.capacity(), 0);
  EXPECT_THROW((void)table.slot(0), InvariantError);
}

TEST(BlockTable, AppendTakesBlocksFromThePool) {
  BlockPool pool(4);
  BlockTable table(pool, 16);
  EXPECT_TRUE(table.append(1));
  EXPECT_EQ(table.capacity(), 16);
  EXPECT_TRUE(table.append(2));
  EXPECT_EQ(table.n_blocks(), 3);
  EXPECT_EQ(table.capacity(), 48);
  EXPECT_EQ(pool.n_free(), 1);
}

TEST(BlockTable, AppendIsAllOrNothing) {
  BlockPool pool(4);
  BlockTable table(pool, 16);
  EXPECT_TRUE(table.append(3));
  EXPECT_FALSE(table.append(2));
  EXPECT_EQ(table.n_blocks(), 3);
  EXPECT_EQ(pool.n_free(), 1);
}

TEST(BlockTable, ShrinkGivesTheLastBlocksBack) {
  BlockPool pool(4);
  BlockTable table(pool, 16);
  ASSERT_TRUE(table.append(3));
  const std::vector<BlockId> taken(table.blocks().begin(), table.blocks().end());
  EXPECT_THROW(table.shrink(4), InvariantError);
  EXPECT_THROW(table.shrink(-1), InvariantError);
  table.shrink(3);
  EXPECT_EQ(table.n_blocks(), 3);
  table.shrink(1);
  ASSERT_EQ(table.n_blocks(), 1);
  EXPECT_EQ(table.blocks().front(), taken.front());
  EXPECT_EQ(pool.n_free(), 3);
}

TEST(BlockTable, TranslatesPositionsAtBlockBounds) {
  BlockPool pool(10);
  std::vector<BlockId> all;
  ASSERT_TRUE(pool.take(10, all));
  BlockTable table(pool, 16);
  table.adopt(std::vector{all[7], all[2], all[9]});
  EXPECT_EQ(table.slot(0), (KvSlot{all[7], 0}));
  EXPECT_EQ(table.slot(15), (KvSlot{all[7], 15}));
  EXPECT_EQ(table.slot(16), (KvSlot{all[2], 0}));
  EXPECT_EQ(table.slot(31), (KvSlot{all[2], 15}));
  EXPECT_EQ(table.slot(32), (KvSlot{all[9], 0}));
  EXPECT_EQ(table.slot(47), (KvSlot{all[9], 15}));
  EXPECT_THROW((void)table.slot(48), InvariantError);
  EXPECT_THROW((void)table.slot(-1), InvariantError);
}

TEST(BlockTable, ABlockAsLongAsTheSequenceIsTheContiguousCache) {
  BlockPool pool(2);
  BlockTable table(pool, 2048);
  ASSERT_TRUE(table.append(1));
  EXPECT_EQ(table.slot(0).block, table.slot(2047).block);
  EXPECT_EQ(table.slot(2047).offset, 2047);
  EXPECT_THROW((void)table.slot(2048), InvariantError);
}

TEST(BlockTable, TablesShareNoBlock) {
  BlockPool pool(8);
  BlockTable a(pool, 16), b(pool, 16);
  ASSERT_TRUE(a.append(2) && b.append(3) && a.append(3));
  std::set<BlockId> blocks(a.blocks().begin(), a.blocks().end());
  blocks.insert(b.blocks().begin(), b.blocks().end());
  EXPECT_EQ(blocks.size(), 8U);
}

TEST(BlockTable, ThirtyThreeTokensTakeThreeDistinctBlocks) {
  BlockPool pool(8);
  BlockTable table(pool, 16);
  ASSERT_TRUE(table.append(blocks_for(33, 16)));
  EXPECT_EQ(std::set<BlockId>(table.blocks().begin(), table.blocks().end()).size(), 3U);
  EXPECT_EQ(table.slot(32), (KvSlot{table.blocks()[2], 0}));
}

TEST(BlockTable, ClearGivesEveryBlockBack) {
  BlockPool pool(4);
  BlockTable table(pool, 16);
  ASSERT_TRUE(table.append(3));
  table.clear();
  EXPECT_EQ(pool.n_free(), 4);
  EXPECT_THAT(table.blocks(), IsEmpty());
  table.clear();
  EXPECT_EQ(pool.n_free(), 4);
}

TEST(BlockTable, TheNextTableGetsTheBlocksOfTheClearedOne) {
  BlockPool pool(4);
  BlockTable table(pool, 16);
  ASSERT_TRUE(table.append(3));
  const std::vector<BlockId> before(table.blocks().begin(), table.blocks().end());
  table.clear();
  BlockTable next(pool, 16);
  ASSERT_TRUE(next.append(3));
  EXPECT_THAT(next.blocks(), ElementsAre(before[0], before[1], before[2]));
}

TEST(BlockTable, DestructionGivesEveryBlockBack) {
  BlockPool pool(4);
  {
    BlockTable table(pool, 16);
    ASSERT_TRUE(table.append(4));
  }
  EXPECT_EQ(pool.n_free(), 4);
  pool.check();
}

TEST(BlockTable, AMoveTakesTheBlocksAlong) {
  BlockPool pool(6);
  BlockTable a(pool, 16), b(pool, 16);
  ASSERT_TRUE(a.append(2) && b.append(3));
  BlockTable moved(std::move(a));
  EXPECT_EQ(moved.n_blocks(), 2);
  EXPECT_EQ(pool.n_used(), 5);
  moved = std::move(b);
  EXPECT_EQ(moved.n_blocks(), 3);
  EXPECT_EQ(pool.n_used(), 3);
}

TEST(BlockTable, SharedBlocksStayWhileOneTableMapsThem) {
  BlockPool pool(4);
  BlockTable a(pool, 16);
  ASSERT_TRUE(a.append(2));
  {
    BlockTable b(pool, 16);
    for (const BlockId block : a.blocks()) pool.share(block);
    b.adopt(a.blocks());
    ASSERT_TRUE(b.append(1));
    EXPECT_EQ(pool.n_used(), 3);  // p/B shared blocks and one of its own
    EXPECT_EQ(b.slot(31), a.slot(31));
    a.clear();
    EXPECT_EQ(pool.n_used(), 3);
  }
  EXPECT_EQ(pool.n_used(), 0);
}

TEST(BlockTable, GeometryThatAnIntCannotCountIsRefused) {
  BlockPool pool(2);
  EXPECT_THROW(BlockTable(pool, 0), InvariantError);
  EXPECT_THROW(BlockTable(pool, -16), InvariantError);
  EXPECT_NO_THROW(BlockTable(pool, std::numeric_limits<int>::max() / 2));
  EXPECT_THROW(BlockTable(pool, std::numeric_limits<int>::max() / 2 + 1), InvariantError);
}

}  // namespace
}  // namespace mie
