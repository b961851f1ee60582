// Want of memory at every single allocation. A program of its own, because it replaces operator new.
#include "kv/block_pool.h"
#include "kv/block_table.h"
#include "kv/reservation.h"
#include "tests/fakes/failing_new.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

namespace mie {
namespace {

TEST(BlockPool, NoMemoryForTheResultChangesNothing) {
  BlockPool pool(8);
  std::vector<BlockId> blocks;
  const int n_allocations = test::fail_each_allocation([&] { EXPECT_TRUE(pool.take(5, blocks)); },
                                                       [&] {
                                                         EXPECT_EQ(pool.n_free(), 8);
                                                         EXPECT_TRUE(blocks.empty());
                                                         pool.check();
                                                       });
  EXPECT_GE(n_allocations, 1);
  EXPECT_EQ(pool.n_free(), 3);
}

TEST(BlockPool, ReleaseNeverAllocates) {
  BlockPool pool(64);
  std::vector<BlockId> blocks;
  ASSERT_TRUE(pool.take(64, blocks));
  const test::FailingNew failing(0);
  for (const BlockId block : blocks) pool.release(block);
}

TEST(BlockTable, NoMemoryChangesNothing) {
  BlockPool pool(8);
  BlockTable table(pool, 16);
  ASSERT_TRUE(table.append(2));
  const int n_allocations = test::fail_each_allocation([&] { EXPECT_TRUE(table.append(6)); },
                                                       [&] {
                                                         EXPECT_EQ(table.n_blocks(), 2);
                                                         EXPECT_EQ(pool.n_free(), 6);
                                                       });
  EXPECT_GE(n_allocations, 1);
  EXPECT_EQ(table.n_blocks(), 8);
}

TEST(BlockTable, AdoptingAfterMakingRoomDoesNotAllocate) {
  BlockPool pool(40);
  BlockTable table(pool, 16);
  std::vector<BlockId> blocks;
  ASSERT_TRUE(pool.take(40, blocks));
  table.make_room(40);
  const test::FailingNew failing(0);
  table.adopt(blocks);
}

TEST(KvReservation, EveryFailingAllocationOfAStepLeavesPoolAndTablesAsBefore) {
  BlockPool pool(8);
  BlockTable a(pool, 16), b(pool, 16);
  ASSERT_TRUE(a.append(1));
  const int n_allocations = test::fail_each_allocation(
      [&] {
        KvReservation::Memory memory;
        KvReservation held(pool, memory);
        EXPECT_TRUE(held.reserve(a, 2) && held.reserve(b, 3));
        held.commit();
      },
      [&] {
        EXPECT_EQ(a.n_blocks(), 1);
        EXPECT_EQ(b.n_blocks(), 0);
        EXPECT_EQ(pool.n_free(), 7);
        pool.check();
      });
  EXPECT_GE(n_allocations, 4) << "rows, blocks and both tables allocate";
  EXPECT_EQ(a.n_blocks(), 3);
  EXPECT_EQ(b.n_blocks(), 3);
}

TEST(KvReservation, AFailingAllocationInReserveAddsNoRow) {
  BlockPool pool(8);
  BlockTable table(pool, 16);
  KvReservation::Memory memory;
  KvReservation held(pool, memory);
  const int n_allocations = test::fail_each_allocation([&] { EXPECT_TRUE(held.reserve(table, 3)); },
                                                       [&] {
                                                         EXPECT_EQ(held.n_rows(), 0);
                                                         EXPECT_EQ(held.n_blocks(), 0);
                                                         EXPECT_EQ(pool.n_free(), 8);
                                                       });
  EXPECT_GE(n_allocations, 2);
}

// Steps over a few tables on a tiny pool, some of which throw before their commit, run out of memory, or out of blocks.
class RandomSteps {
 public:
  static constexpr int kTables = 7, kBlocks = 23, kBlockSize = 4;

  RandomSteps() {
    for (int i = 0; i < kTables; ++i) tables_.emplace_back(pool_, kBlockSize);
  }

  void step() {
    const auto before = blocks_of_tables();
    const int n_free = pool_.n_free();
    bool committed = false;
    try {
      committed = attempt();
    } catch (const std::runtime_error&) {
    } catch (const std::bad_alloc&) {
    }
    ++(committed ? n_committed : n_undone);
    if (committed) {
      EXPECT_EQ(n_free - pool_.n_free(), n_reserved_);
    } else {
      EXPECT_EQ(blocks_of_tables(), before);
      EXPECT_EQ(pool_.n_free(), n_free);
    }
    if (below(5) == 0) tables_[below(kTables)].clear();
    if (below(50) == 0) tables_[below(kTables)] = BlockTable(pool_, kBlockSize);
    check();
  }

  int n_committed = 0, n_undone = 0;

 private:
  bool attempt() {
    std::optional<test::FailingNew> failing;
    if (below(4) == 0) failing.emplace(static_cast<int>(below(6)));
    KvReservation::Memory memory;
    KvReservation held(pool_, memory);
    n_reserved_ = 0;
    for (BlockTable& table : tables_) {
      const int n = static_cast<int>(below(3));
      if (!held.reserve(table, n)) return false;
      n_reserved_ += n;
    }
    if (below(3) == 0) throw std::runtime_error("the model step failed");
    held.commit();
    return true;
  }

  void check() const {
    pool_.check();
    std::set<BlockId> mapped;
    int n_mapped = 0;
    for (const BlockTable& table : tables_) {
      mapped.insert(table.blocks().begin(), table.blocks().end());
      n_mapped += table.n_blocks();
    }
    EXPECT_EQ(static_cast<int>(mapped.size()), n_mapped) << "a block in two tables";
    EXPECT_EQ(pool_.n_free() + n_mapped, kBlocks);
  }

  std::vector<std::vector<BlockId>> blocks_of_tables() const {
    std::vector<std::vector<BlockId>> all;
    for (const BlockTable& table : tables_) all.emplace_back(table.blocks().begin(), table.blocks().end());
    return all;
  }

  std::size_t below(std::size_t n) { return random_() % n; }

  std::mt19937 random_{15};
  BlockPool pool_{kBlocks};
  std::vector<BlockTable> tables_;
  int n_reserved_ = 0;
};

TEST(KvReservation, RandomStepsWithThrowsNeverLoseOrShareABlock) {
  RandomSteps steps;
  for (int i = 0; i < 10'000 && !::testing::Test::HasFailure(); ++i) steps.step();
  EXPECT_GT(steps.n_committed, 1'000);
  EXPECT_GT(steps.n_undone, 1'000);
}

}  // namespace
}  // namespace mie
