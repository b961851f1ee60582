#include "core/base/id.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <type_traits>
#include <unordered_set>

namespace mie {
namespace {

TEST(Id, DoesNotConvertFromOrToNumbersOrOtherIds) {
  static_assert(!std::is_convertible_v<std::int32_t, BlockId>);
  static_assert(!std::is_convertible_v<BlockId, std::int32_t>);
  static_assert(!std::is_constructible_v<BlockId, TokenId>);
  static_assert(!std::is_assignable_v<BlockId&, TokenId>);
  static_assert(std::is_trivially_copyable_v<RequestId> && sizeof(RequestId) == 8 && sizeof(BlockId) == 4);
}

TEST(Id, OrdersAsItsNumberDoes) {
  const std::set<BlockId> ordered{BlockId(7), BlockId(-1), BlockId(3), BlockId(7)};
  EXPECT_EQ(std::vector<BlockId>(ordered.begin(), ordered.end()), (std::vector<BlockId>{BlockId(-1), BlockId(3), BlockId(7)}));
}

TEST(Id, EqualIdsAreOneHashKey) {
  const std::unordered_set<RequestId> ids{RequestId(1), RequestId(1), RequestId(std::uint64_t{1} << 63)};
  EXPECT_EQ(ids.size(), 2U);
  EXPECT_TRUE(ids.contains(RequestId(9223372036854775808U)));
  EXPECT_FALSE(ids.contains(RequestId(2)));
}

TEST(Id, PrintsItsNumber) {
  std::ostringstream out;
  out << TokenId(49151) << ' ' << RequestId(18446744073709551615U) << ' ' << TokenId{};
  EXPECT_EQ(out.str(), "49151 18446744073709551615 0");
}

}  // namespace
}  // namespace mie
