#include "core/engine/ngram_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> drafts(const std::vector<int>& tokens, int n) {
  std::vector<TokenId> ids, drafts{TokenId(77)};
  for (const int token : tokens) ids.emplace_back(token);
  ngram_draft(ids, n, drafts);
  std::vector<int> values;
  for (const TokenId draft : drafts) values.push_back(draft.value());
  return values;
}

TEST(NgramDraft, ContinuesWhereTheEndingStoodBefore) { EXPECT_THAT(drafts({1, 2, 3, 4, 1, 2}, 3), ElementsAre(3, 4, 1)); }

TEST(NgramDraft, GoesOnInALoop) {
  EXPECT_THAT(drafts({1, 2, 1, 2}, 3), ElementsAre(1, 2, 1));
  EXPECT_THAT(drafts({5, 5, 5, 5, 5}, 4), ElementsAre(5, 5, 5, 5));
}

TEST(NgramDraft, TheLongestEndingCounts) {
  // "2 3" stands before 9, later; "1 2 3" before 8, earlier.
  EXPECT_THAT(drafts({1, 2, 3, 8, 7, 2, 3, 9, 1, 2, 3}, 1), ElementsAre(8));
}

TEST(NgramDraft, TheLatestOfEqualEndingsCounts) { EXPECT_THAT(drafts({1, 2, 8, 1, 2, 9, 1, 2}, 1), ElementsAre(9)); }

TEST(NgramDraft, MoreThanFourTokensInCommonAreNoBetterThanFour) {
  EXPECT_THAT(drafts({0, 1, 2, 3, 4, 8, 1, 2, 3, 4, 9, 0, 1, 2, 3, 4}, 1), ElementsAre(9));
}

TEST(NgramDraft, WhatNeverStoodBeforeGivesNone) {
  EXPECT_THAT(drafts({1, 2, 3, 4}, 3), IsEmpty());
  EXPECT_THAT(drafts({2, 1, 2}, 3), IsEmpty());  // one token says too little
  EXPECT_THAT(drafts({1}, 3), IsEmpty());
  EXPECT_THAT(drafts({1, 1}, 3), IsEmpty());
  EXPECT_THAT(drafts({}, 3), IsEmpty());
}

TEST(NgramDraft, NoneAreAskedFor) { EXPECT_THAT(drafts({1, 2, 1, 2}, 0), IsEmpty()); }

}  // namespace
}  // namespace mie
