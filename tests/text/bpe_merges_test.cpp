#include "core/text/bpe_merges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mie {
namespace {

using Word = std::vector<TokenId>;
using Pair = std::pair<TokenId, TokenId>;

struct RandomMerges {
  BpeMerges table;
  std::map<Pair, BpeMerges::Merge> plain;
  int n_letters;
};

// Tokens 0 … n_letters - 1 are letters; each merge makes one new token out of any two, so words collapse deeply.
RandomMerges random_merges(std::mt19937& random) {
  RandomMerges merges{.table = {}, .plain = {}, .n_letters = std::uniform_int_distribution(1, 5)(random)};
  int n_tokens = merges.n_letters;
  const int n_merges = std::uniform_int_distribution(0, 60)(random);
  for (int rank = 0; rank < n_merges; ++rank) {
    std::uniform_int_distribution<int> any(0, n_tokens - 1);
    const Pair pair{TokenId(any(random)), TokenId(any(random))};
    const BpeMerges::Merge merge{.rank = rank, .result = TokenId(n_tokens)};
    if (!merges.table.add(pair.first, pair.second, merge)) continue;
    merges.plain.emplace(pair, merge);
    ++n_tokens;
  }
  return merges;
}

// The definition, step by step: the leftmost of the pairs with the lowest rank, until there is none.
Word merged_by_definition(const std::map<Pair, BpeMerges::Merge>& merges, Word word) {
  for (;;) {
    std::size_t best = word.size();
    BpeMerges::Merge best_merge{};
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      const auto merge = merges.find({word[i], word[i + 1]});
      if (merge == merges.end()) continue;
      if (best < word.size() && merge->second.rank >= best_merge.rank) continue;
      best = i;
      best_merge = merge->second;
    }
    if (best == word.size()) return word;
    word[best] = best_merge.result;
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BpeMerger, EqualsTheDefinitionOnRandomWords) {
  std::mt19937 random(11);
  int n_merged = 0;
  for (int round = 0; round < 500; ++round) {
    const RandomMerges merges = random_merges(random);
    BpeMerger merger(merges.table);
    for (int i = 0; i < 40; ++i) {
      Word word(std::uniform_int_distribution<std::size_t>(0, 40)(random));
      for (TokenId& id : word) id = TokenId(std::uniform_int_distribution(0, merges.n_letters - 1)(random));
      const Word expected = merged_by_definition(merges.plain, word);
      Word got;
      merger.merge(word, got);
      ASSERT_EQ(got, expected) << "round " << round << ", word " << i;
      if (expected.size() < word.size()) ++n_merged;
    }
  }
  EXPECT_GT(n_merged, 10'000);  // of 20,000: the comparison is not of words that no merge touches
}

TEST(BpeMerger, AppendsToWhatIsThere) {
  BpeMerges merges;
  ASSERT_TRUE(merges.add(TokenId(0), TokenId(1), {.rank = 0, .result = TokenId(2)}));
  BpeMerger merger(merges);
  Word out = {TokenId(9)};
  merger.merge(Word{TokenId(0), TokenId(1), TokenId(1)}, out);
  merger.merge(Word{}, out);
  EXPECT_EQ(out, (Word{TokenId(9), TokenId(2), TokenId(1)}));
}

TEST(BpeMerges, ASecondMergeOfAPairIsRefused) {
  BpeMerges merges;
  EXPECT_TRUE(merges.add(TokenId(0), TokenId(1), {.rank = 0, .result = TokenId(2)}));
  EXPECT_FALSE(merges.add(TokenId(0), TokenId(1), {.rank = 1, .result = TokenId(3)}));
  EXPECT_EQ(merges.find(TokenId(0), TokenId(1))->result, TokenId(2));
  EXPECT_FALSE(merges.find(TokenId(1), TokenId(0)));
}

// 2^18 letters, doubled by 10 merges: 2^8 tokens. Scanning the word for each merge would take an hour.
TEST(BpeMerger, AVeryLongWordTakesSeconds) {
  BpeMerges merges;
  for (int k = 0; k < 10; ++k) merges.add(TokenId(k), TokenId(k), {.rank = k, .result = TokenId(k + 1)});
  const std::clock_t begin = std::clock();
  Word out;
  BpeMerger(merges).merge(Word(1 << 18, TokenId(0)), out);
  EXPECT_EQ(out, Word(1 << 8, TokenId(10)));
  EXPECT_LT(std::clock() - begin, 30 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace mie
