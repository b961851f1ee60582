#include "kv/reservation.h"

#include "core/base/ensure.h"
#include "tests/fakes/failing_new.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mie {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

TEST(KvReservation, ReturnsWhatWasNotCommitted) {
  BlockPool pool(8);
  BlockTable a(pool, 16), b(pool, 16);
  ASSERT_TRUE(a.append(1));
  {
    KvReservation held(pool);
    ASSERT_TRUE(held.reserve(a, 2));
    ASSERT_TRUE(held.reserve(b, 3));
    EXPECT_EQ(pool.n_free(), 2);
  }
  EXPECT_EQ(pool.n_free(), 7);
  EXPECT_EQ(a.n_blocks(), 1);
  EXPECT_EQ(b.n_blocks(), 0);
  pool.check();
}

TEST(KvReservation, ReturnsBlocksInAnOrderThatIsAsIfNothingHappened) {
  BlockPool pool(8), untouched(8);
  BlockTable table(pool, 16);
  {
    KvReservation held(pool);
    ASSERT_TRUE(held.reserve(table, 5));
  }
  std::vector<BlockId> after, expected;
  ASSERT_TRUE(pool.take(8, after) && untouched.take(8, expected));
  EXPECT_EQ(after, expected);
}

TEST(KvReservation, CommitHandsTheBlocksToTheirTables) {
  BlockPool pool(8);
  BlockTable a(pool, 16), b(pool, 16), c(pool, 16);
  ASSERT_TRUE(a.append(1));
  const BlockId first = a.blocks().front();
  std::vector<BlockId> for_a, for_c;
  {
    KvReservation held(pool);
    ASSERT_TRUE(held.reserve(a, 2));
    ASSERT_TRUE(held.reserve(b, 0));
    ASSERT_TRUE(held.reserve(c, 1));
    EXPECT_EQ(held.n_rows(), 3);
    EXPECT_EQ(held.n_blocks(), 3);
    EXPECT_THAT(held.reserved(1), IsEmpty());
    for_a.assign(held.reserved(0).begin(), held.reserved(0).end());
    for_c.assign(held.reserved(2).begin(), held.reserved(2).end());
    EXPECT_EQ(a.n_blocks(), 1) << "nothing is handed over before the commit";
    held.commit();
    EXPECT_THAT(held.reserved(0), ElementsAreArray(for_a));
  }
  ASSERT_EQ(for_a.size(), 2U);
  EXPECT_THAT(a.blocks(), ElementsAreArray({first, for_a[0], for_a[1]}));
  EXPECT_EQ(b.n_blocks(), 0);
  EXPECT_THAT(c.blocks(), ElementsAreArray(for_c));
  EXPECT_EQ(pool.n_used(), 4);
}

TEST(KvReservation, ReserveIsAllOrNothingForARow) {
  BlockPool pool(3);
  BlockTable a(pool, 16), b(pool, 16);
  KvReservation held(pool);
  ASSERT_TRUE(held.reserve(a, 2));
  EXPECT_FALSE(held.reserve(b, 2));
  EXPECT_EQ(held.n_rows(), 1);
  EXPECT_EQ(pool.n_free(), 1);
  EXPECT_TRUE(held.reserve(b, 1));
  held.commit();
  EXPECT_EQ(b.n_blocks(), 1);
}

TEST(KvReservation, AMoveLeavesNothingBehind) {
  BlockPool pool(4);
  BlockTable table(pool, 16);
  std::optional<KvReservation> kept;
  {
    KvReservation held(pool);
    ASSERT_TRUE(held.reserve(table, 2));
    kept.emplace(std::move(held));
  }
  EXPECT_EQ(pool.n_used(), 2);
  kept->commit();
  kept.reset();
  EXPECT_EQ(table.n_blocks(), 2);
  EXPECT_EQ(pool.n_used(), 2);
}

TEST(KvReservation, WrongCallsThrowAndChangeNothing) {
  BlockPool pool(4), other(4);
  BlockTable table(pool, 16), foreign(other, 16);
  KvReservation held(pool);
  ASSERT_TRUE(held.reserve(table, 1));
  EXPECT_THROW((void)held.reserve(foreign, 1), InvariantError);
  EXPECT_THROW((void)held.reserve(table, 1), InvariantError);
  EXPECT_THROW((void)held.reserve(table, -1), InvariantError);
  EXPECT_THROW((void)held.reserved(1), InvariantError);
  EXPECT_THROW((void)held.reserved(-1), InvariantError);
  EXPECT_EQ(held.n_rows(), 1);
  EXPECT_EQ(pool.n_used(), 1);
  held.commit();
  EXPECT_THROW(held.commit(), InvariantError);
  EXPECT_THROW((void)held.reserve(table, 1), InvariantError);
  EXPECT_EQ(table.n_blocks(), 1);
}

TEST(KvReservation, EveryFailingAllocationOfAStepLeavesPoolAndTablesAsBefore) {
  BlockPool pool(8);
  BlockTable a(pool, 16), b(pool, 16);
  ASSERT_TRUE(a.append(1));
  const int n_allocations = test::fail_each_allocation(
      [&] {
        KvReservation held(pool);
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
  KvReservation held(pool);
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
    KvReservation held(pool_);
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
