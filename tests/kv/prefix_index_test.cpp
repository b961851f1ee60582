// What is found is exactly what was put in, whatever is evicted in between.
#include "kv/prefix_index.h"

#include "core/base/ensure.h"
#include "kv/block_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace mie {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::vector<TokenId> tokens(std::initializer_list<int> ids) {
  std::vector<TokenId> result;
  for (const int id : ids) result.emplace_back(id);
  return result;
}

// Blocks of two tokens.
class PrefixIndexTest : public ::testing::Test {
 protected:
  // Takes blocks for the tokens and indexes them.
  BlockTable computed(const std::vector<TokenId>& tokens, std::string_view salt = "") {
    BlockTable table(pool, 2);
    EXPECT_TRUE(table.append(static_cast<int>(tokens.size()) / 2));
    for (std::size_t n = 0; (n + 1) * 2 <= tokens.size(); ++n) {
      const auto before = n == 0 ? std::optional<BlockId>() : table.blocks()[n - 1];
      const BlockId known = index.add(std::span(tokens).first((n + 1) * 2), salt, before, table.blocks()[n]);
      if (known != table.blocks()[n]) table.replace(static_cast<int>(n), known);
    }
    index.check();
    pool.check();
    return table;
  }
  std::vector<BlockId> found(const std::vector<TokenId>& tokens, std::string_view salt = "", int n_most = 100) {
    PrefixMatch match;
    index.find(tokens, salt, n_most, match);
    return match.blocks;
  }

  BlockPool pool{8};
  PrefixIndex index{pool, 2};
};

TEST_F(PrefixIndexTest, FindsTheLongestPrefixAtABlockBoundary) {
  const BlockTable table = computed(tokens({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(found(tokens({1, 2, 3, 4, 5, 6, 7})), ElementsAreArray(table.blocks()));
  EXPECT_THAT(found(tokens({1, 2, 3, 4, 5})), ElementsAreArray(table.blocks().first(2)));
  EXPECT_THAT(found(tokens({1, 2, 3, 9, 5, 6})), ElementsAreArray(table.blocks().first(1)));
  EXPECT_THAT(found(tokens({1, 2, 3, 4, 5, 6}), "", 2), ElementsAreArray(table.blocks().first(2)));
  EXPECT_THAT(found(tokens({1})), IsEmpty());
  EXPECT_THAT(found(tokens({3, 4, 5, 6})), IsEmpty()) << "the same tokens elsewhere are other K,V";
}

TEST_F(PrefixIndexTest, SaltsKeepApart) {
  const BlockTable one = computed(tokens({1, 2, 3, 4}), "one"), other = computed(tokens({1, 2, 3, 4}), "other");
  EXPECT_THAT(found(tokens({1, 2, 3, 4}), "one"), ElementsAreArray(one.blocks()));
  EXPECT_THAT(found(tokens({1, 2, 3, 4}), "other"), ElementsAreArray(other.blocks()));
  EXPECT_THAT(found(tokens({1, 2, 3, 4})), IsEmpty());
}

TEST_F(PrefixIndexTest, WhatIsComputedTwiceIsKeptOnce) {
  const BlockTable first = computed(tokens({1, 2, 3, 4}));
  const BlockTable second = computed(tokens({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(second.blocks().first(2), ElementsAreArray(first.blocks()));
  EXPECT_EQ(pool.n_used(), 3);
  EXPECT_EQ(second.n_shared(), 2);
  EXPECT_EQ(first.n_shared(), 2);
}

TEST_F(PrefixIndexTest, UnreferencedBlocksAreCachedUntilTheRoomIsNeeded) {
  computed(tokens({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(pool.n_cached(), 3);
  EXPECT_EQ(pool.n_free(), 5);
  EXPECT_EQ(index.make_free(5), 0);
  EXPECT_EQ(index.make_free(6), 1);
  EXPECT_EQ(found(tokens({1, 2, 3, 4, 5, 6})).size(), 2U) << "the end of a chain goes first";
  EXPECT_EQ(index.make_free(100), 2);
  EXPECT_EQ(pool.n_free(), 8);
  EXPECT_THAT(found(tokens({1, 2})), IsEmpty());
}

TEST_F(PrefixIndexTest, EvictsWhatWasReleasedLongestAgo) {
  computed(tokens({1, 2}));
  computed(tokens({3, 4}));
  {
    BlockTable again(pool, 2);
    again.share(found(tokens({1, 2})));
  }
  EXPECT_EQ(index.make_free(7), 1);
  EXPECT_EQ(found(tokens({1, 2})).size(), 1U);
  EXPECT_THAT(found(tokens({3, 4})), IsEmpty());
}

TEST_F(PrefixIndexTest, AFlushLeavesWhatIsReferenced) {
  const BlockTable used = computed(tokens({1, 2, 3, 4}));
  computed(tokens({5, 6}));
  EXPECT_EQ(index.flush(), 1);
  EXPECT_THAT(found(tokens({1, 2, 3, 4})), ElementsAreArray(used.blocks()));
  EXPECT_THAT(found(tokens({5, 6})), IsEmpty());
  index.check();
}

TEST_F(PrefixIndexTest, AMatchIsBroughtUpToDate) {
  PrefixMatch match;
  const auto wanted = tokens({1, 2, 3, 4});
  index.find(wanted, "", 9, match);
  EXPECT_THAT(match.blocks, IsEmpty());
  computed(tokens({1, 2}));
  index.find(wanted, "", 9, match);
  EXPECT_EQ(match.blocks.size(), 1U);
  computed(tokens({1, 2, 3, 4}));
  index.find(wanted, "", 9, match);
  EXPECT_EQ(match.blocks.size(), 2U);
  index.make_free(7);  // [3, 4] goes; its block holds something else afterwards
  const BlockTable else_where = computed(tokens({7, 8}));
  index.find(wanted, "", 9, match);
  EXPECT_THAT(match.blocks, ElementsAreArray(found(wanted)));
  EXPECT_EQ(match.blocks.size(), 1U);
}

TEST_F(PrefixIndexTest, RefusesAChainWithoutItsFront) {
  BlockTable table(pool, 2);
  ASSERT_TRUE(table.append(2));
  const auto chain = tokens({1, 2, 3, 4});
  EXPECT_THROW(index.add(chain, "", table.blocks()[0], table.blocks()[1]), InvariantError);
  EXPECT_EQ(index.add(std::span(chain).first(2), "", {}, table.blocks()[0]), table.blocks()[0]);
  EXPECT_THROW(index.add(std::span(chain).first(2), "", {}, table.blocks()[0]), InvariantError);
}

// Sequences over two tokens come, share, grow and go on a pool that is too small to keep them all. Whatever is found has the
// tokens that were asked for, told by a book of what was written into each block.
TEST(PrefixIndexProperty, NeverFindsWhatIsNotThere) {
  std::mt19937 random(7);
  const auto between = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  BlockPool pool(24);
  PrefixIndex index(pool, 2, 99);
  std::map<BlockId, std::vector<TokenId>> book;  // the whole chain up to the end of a block
  std::vector<BlockTable> live;
  int n_found = 0, n_evicted = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (live.size() > 3 || (!live.empty() && between(0, 2) == 0)) {
      live.erase(live.begin() + between(0, static_cast<int>(live.size()) - 1));
      continue;
    }
    std::vector<TokenId> prompt;
    for (int n = 2 * between(1, 5); n > 0; --n) prompt.emplace_back(between(0, 1));
    PrefixMatch match;
    index.find(prompt, "", 99, match);
    n_found += static_cast<int>(match.blocks.size());
    for (std::size_t n = 0; n < match.blocks.size(); ++n)
      ASSERT_THAT(book.at(match.blocks[n]), ElementsAreArray(std::span(prompt).first(2 * (n + 1))));
    BlockTable table(pool, 2);
    table.share(match.blocks);
    const int n_new = static_cast<int>(prompt.size()) / 2 - table.n_blocks();
    n_evicted += index.make_free(n_new);
    ASSERT_TRUE(table.append(n_new));
    for (auto n = match.blocks.size(); n < static_cast<std::size_t>(table.n_blocks()); ++n) {
      const auto chain = std::span(prompt).first(2 * (n + 1));
      const auto before = n == 0 ? std::optional<BlockId>() : table.blocks()[n - 1];
      ASSERT_EQ(index.add(chain, "", before, table.blocks()[n]), table.blocks()[n]) << "it would have been found";
      book[table.blocks()[n]] = {chain.begin(), chain.end()};
    }
    live.push_back(std::move(table));
    if (i % 16 == 0) {
      index.check();
      pool.check();
    }
  }
  EXPECT_GT(n_found, 1000);
  EXPECT_GT(n_evicted, 1000);
}

}  // namespace
}  // namespace mie
