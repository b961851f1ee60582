// Block maxima against plain loops over the row.
#include "models/sampling/block_maxima.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace mie {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(BlockMaxima, FindTheHighestAndItsFirstPlace) {
  std::mt19937_64 random(1);
  BlockMaxima maxima(3000);
  for (int round = 0; round < 500; ++round) {
    std::vector<float> logits(random() % 3000 + 1);
    for (float& logit : logits) logit = static_cast<float>(random() % 50) - 60;  // all negative, many equal
    ASSERT_TRUE(maxima.measure(logits));
    const auto best = std::ranges::max_element(logits);  // the first of equals
    ASSERT_EQ(maxima.highest(), *best);
    ASSERT_EQ(maxima.first_of_highest(logits), static_cast<std::size_t>(best - logits.begin()));
  }
}

TEST(BlockMaxima, OneUnsoundLogitAnywhereIsSeen) {
  std::vector<float> logits(2 * BlockMaxima::kBlock + 17, 1.0F);
  BlockMaxima maxima(logits.size());
  for (std::size_t at = 0; at < logits.size(); ++at) {
    for (const float broken : {kNan, -kNan, kInf}) {
      logits[at] = broken;
      EXPECT_FALSE(maxima.measure(logits)) << at << " " << broken;
    }
    logits[at] = -kInf;
    EXPECT_TRUE(maxima.measure(logits)) << at;
    logits[at] = 1;
  }
}

TEST(BlockMaxima, KLogitsReachTheBound) {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal(0, 3);
  constexpr std::size_t kBlocks = 37;  // five groups, the last one of fewer blocks
  BlockMaxima maxima(kBlocks * BlockMaxima::kBlock);
  std::vector<float> logits(kBlocks * BlockMaxima::kBlock);
  for (int round = 0; round < 100; ++round) {
    for (float& logit : logits) logit = normal(random);
    ASSERT_TRUE(maxima.measure(logits));
    std::vector<float> sorted = logits;
    std::ranges::sort(sorted, std::greater<>());
    for (std::size_t k = 1; k <= kBlocks; ++k) {
      ASSERT_LE(maxima.reached_by(k), sorted[k - 1]);
      ASSERT_GE(maxima.reached_by(k), sorted[std::min(logits.size(), k * 8 * BlockMaxima::kBlock) - 1]);  // groups of 8
    }
    ASSERT_EQ(maxima.reached_by(kBlocks + 1), -kInf);
  }
}

TEST(BlockMaxima, ARowOfBansHasNoHighest) {
  const std::vector<float> logits(300, -kInf);
  BlockMaxima maxima(300);
  EXPECT_TRUE(maxima.measure(logits));
  EXPECT_EQ(maxima.highest(), -kInf);
}

}  // namespace
}  // namespace mie
