#include "bench/quality/text.h"

#include "models/fake_runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

namespace mie::quality {
namespace {

std::vector<TokenId> counting(int n) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < n; ++i) tokens.emplace_back(100 + i);
  return tokens;
}

// (chunk's position, next token) of every scored row, in order.
std::vector<std::pair<int, int>> scored(const std::vector<ScoringStep>& steps) {
  std::vector<std::pair<int, int>> all;
  for (const ScoringStep& step : steps) {
    for (std::size_t i = 0; i < step.scored_rows.size(); ++i)
      all.emplace_back(step.positions.at(static_cast<std::size_t>(step.scored_rows[i])), step.next.at(i).value());
  }
  return all;
}

TEST(CutText, ScoresTheSecondHalfOfAChunkAgainstWhatFollows) {
  const auto steps = cut_text(counting(16), {.chunk = 8, .n_positions = 6});
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(scored(*steps), (std::vector<std::pair<int, int>>{{4, 105}, {5, 106}, {6, 107}, {4, 113}, {5, 114}, {6, 115}}));
}

TEST(CutText, StopsAtTheLastPositionAskedFor) {
  const auto steps = cut_text(counting(16), {.chunk = 8, .n_positions = 4});
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(scored(*steps), (std::vector<std::pair<int, int>>{{4, 105}, {5, 106}, {6, 107}, {4, 113}}));
  EXPECT_EQ(steps->back().tokens.back(), 112);  // nothing after the last scored row is run
}

TEST(CutText, TheSizeOfAStepDoesNotChangeWhatIsScored) {
  const auto whole = cut_text(counting(64), {.chunk = 32, .n_positions = 25});
  const auto small = cut_text(counting(64), {.chunk = 32, .n_positions = 25, .rows_a_step = 3});
  ASSERT_TRUE(whole.has_value() && small.has_value());
  EXPECT_EQ(whole->size(), 2U);
  for (const ScoringStep& step : *small) EXPECT_LE(step.tokens.size(), 3U);
  EXPECT_EQ(scored(*whole), scored(*small));
}

TEST(CutText, EachChunkStartsAtPositionZeroWithBos) {
  const auto steps = cut_text(counting(16), {.chunk = 8, .n_positions = 6, .bos = TokenId(1)});
  ASSERT_TRUE(steps.has_value());
  ASSERT_EQ(steps->size(), 2U);
  EXPECT_EQ((*steps)[1].tokens, (std::vector<std::int32_t>{1, 109, 110, 111, 112, 113, 114}));
  EXPECT_EQ((*steps)[1].positions, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(CutText, ATextThatIsTooShortIsRefusedWithBothNumbers) {
  const auto steps = cut_text(counting(15), {.chunk = 8, .n_positions = 4});
  ASSERT_TRUE(steps.has_error());
  EXPECT_NE(steps.error().message.find("15 tokens"), std::string::npos) << steps.error().message;
  EXPECT_NE(steps.error().message.find("16"), std::string::npos) << steps.error().message;
}

}  // namespace
}  // namespace mie::quality
