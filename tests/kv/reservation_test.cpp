#include "kv/reservation.h"

#include "core/base/ensure.h"

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
    KvReservation::Memory memory;
    KvReservation held(pool, memory);
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
    KvReservation::Memory memory;
    KvReservation held(pool, memory);
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
    KvReservation::Memory memory;
    KvReservation held(pool, memory);
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
  KvReservation::Memory memory;
  KvReservation held(pool, memory);
  ASSERT_TRUE(held.reserve(a, 2));
  EXPECT_FALSE(held.reserve(b, 2));
  EXPECT_EQ(held.n_rows(), 1);
  EXPECT_EQ(pool.n_free(), 1);
  EXPECT_TRUE(held.reserve(b, 1));
  held.commit();
  EXPECT_EQ(b.n_blocks(), 1);
}

TEST(KvReservation, MemoryOfAnEarlierStepLeavesNothingBehind) {
  BlockPool pool(4);
  BlockTable a(pool, 16), b(pool, 16);
  KvReservation::Memory memory;
  {
    KvReservation held(pool, memory);
    ASSERT_TRUE(held.reserve(a, 2));
    held.commit();
  }
  KvReservation held(pool, memory);
  EXPECT_EQ(held.n_rows(), 0);
  EXPECT_EQ(held.n_blocks(), 0);
  ASSERT_TRUE(held.reserve(b, 1));
  held.commit();
  EXPECT_EQ(a.n_blocks(), 2);
  EXPECT_EQ(b.n_blocks(), 1);
}

TEST(KvReservation, WrongCallsThrowAndChangeNothing) {
  BlockPool pool(4), other(4);
  BlockTable table(pool, 16), foreign(other, 16);
  KvReservation::Memory memory;
  KvReservation held(pool, memory);
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

}  // namespace
}  // namespace mie
