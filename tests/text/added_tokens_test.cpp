#include "core/text/added_tokens.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace mie {
namespace {

constexpr TokenId kEnd(1), kEndEnd(2), kTool(3);

AddedTokens some_tokens() {
  AddedTokens tokens;
  tokens.add("<e>", kEnd, /*control=*/true);
  tokens.add("<e>!<e>", kEndEnd, /*control=*/true);
  tokens.add("<tool>", kTool, /*control=*/false);
  return tokens;
}

struct Found {
  std::size_t begin, end;
  std::int32_t id;
  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> find_all(const AddedTokens& tokens, std::string_view text, const std::vector<ByteRange>& literal = {}) {
  std::vector<Found> all;
  std::size_t from = 0;
  while (const auto match = tokens.find(text, from, literal)) {
    all.push_back({match->at.begin, match->at.end, match->id.value()});
    from = match->at.end;
  }
  return all;
}

using All = std::vector<Found>;

TEST(AddedTokens, AreFoundAnywhere) {
  EXPECT_EQ(find_all(some_tokens(), "<e>a<tool><e>"), (All{{0, 3, 1}, {4, 10, 3}, {10, 13, 1}}));
  EXPECT_EQ(find_all(some_tokens(), "no <e such <tool"), All{});
  EXPECT_EQ(find_all(some_tokens(), ""), All{});
}

TEST(AddedTokens, TheLongestOfThoseThatBeginTogetherWins) {
  EXPECT_EQ(find_all(some_tokens(), "<e>!<e>"), (All{{0, 7, 2}}));
  EXPECT_EQ(find_all(some_tokens(), "<e>!<e"), (All{{0, 3, 1}}));
  EXPECT_EQ(find_all(some_tokens(), "<e>!<e>!<e>"), (All{{0, 7, 2}, {8, 11, 1}}));
}

TEST(AddedTokens, AFailedBeginningHidesNothing) { EXPECT_EQ(find_all(some_tokens(), "<<e<e>"), (All{{3, 6, 1}})); }

TEST(AddedTokens, ControlTokensDoNotTouchLiteralText) {
  for (std::size_t begin = 0; begin < 5; ++begin) {
    const bool touches = begin >= 1 && begin < 4;
    EXPECT_EQ(find_all(some_tokens(), "x<e>y", {{begin, begin + 1}}), touches ? All{} : (All{{1, 4, 1}})) << begin;
  }
  EXPECT_EQ(find_all(some_tokens(), "x<e>y", {{0, 1}, {4, 5}}), (All{{1, 4, 1}}));
  EXPECT_EQ(find_all(some_tokens(), "<e><e>", {{0, 3}}), (All{{3, 6, 1}}));
  EXPECT_EQ(find_all(some_tokens(), "<e>", {{0, 0}, {2, 3}}), All{});
}

TEST(AddedTokens, AnEmptyLiteralRangeHoldsNoCharacter) {
  EXPECT_EQ(find_all(some_tokens(), "x<e>y", {{2, 2}}), (All{{1, 4, 1}}));
  EXPECT_EQ(find_all(some_tokens(), "x<e>y", {{2, 2}, {3, 4}}), All{});
}

TEST(AddedTokens, AShorterTokenIsFoundWhereTheLongerOneTouchesLiteralText) {
  EXPECT_EQ(find_all(some_tokens(), "<e>!<e>", {{3, 4}}), (All{{0, 3, 1}, {4, 7, 1}}));
  EXPECT_EQ(find_all(some_tokens(), "<e>!<e>", {{4, 7}}), (All{{0, 3, 1}}));
}

TEST(AddedTokens, UserDefinedOnesAreFoundInLiteralText) {
  EXPECT_EQ(find_all(some_tokens(), "<tool><e>", {{0, 9}}), (All{{0, 6, 3}}));
}

}  // namespace
}  // namespace mie
