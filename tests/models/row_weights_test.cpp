// Weights and running sums against plain loops.
#include "models/sampling/row_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace mie {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> random_row(std::mt19937_64& random, float spread) {
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> logits(random() % 2000 + 1);
  for (float& logit : logits) logit = random() % 30 == 0 ? -kInf : std::min(normal(random), 0.0F);
  logits[random() % logits.size()] = 0;
  return logits;
}

TEST(RowWeights, AreTheExponentialsAndTheirSum) {
  std::mt19937_64 random(1);
  RowWeights row(2000);
  for (int round = 0; round < 100; ++round) {
    const auto logits = random_row(random, 5);
    row.measure(logits, 0, 0.7F);
    ASSERT_EQ(row.weights().size(), logits.size());
    double total = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const double truth = std::exp(static_cast<double>(logits[i]) / 0.7F);
      ASSERT_NEAR(row.weights()[i], truth, 1e-5 * truth);  // a difference of 87 divided in fp32 is off by 5e-6
      total += row.weights()[i];
    }
    ASSERT_NEAR(row.total(), total, 1e-12 * total);
  }
}

TEST(RowWeights, FirstPastIsWhereThePlainWalkStops) {
  std::mt19937_64 random(2);
  RowWeights row(2000);
  for (int round = 0; round < 2000; ++round) {
    const auto logits = random_row(random, 3);
    row.measure(logits, 0, 1);
    const double mass = row.total() * static_cast<double>(random() % 1000) / 1000;
    double sum = 0;
    std::size_t expected = 0;
    for (std::size_t i = 0; i < logits.size() && sum <= mass; ++i) {
      if (row.weights()[i] == 0) continue;
      expected = i;
      sum += row.weights()[i];
    }
    ASSERT_EQ(row.first_past(mass), expected) << "round " << round;
  }
}

// Weights 1 at 0, 600 and 1300: a walk of 0 stops at the first, of 1 at the second; past the total at the last of any weight.
TEST(RowWeights, TheWalkSkipsWhatWeighsNothing) {
  std::vector<float> logits(1500, -kInf);
  for (const std::size_t id : {std::size_t{0}, std::size_t{600}, std::size_t{1300}}) logits[id] = 2;
  RowWeights row(1500);
  row.measure(logits, 2, 1);
  EXPECT_EQ(row.total(), 3);
  EXPECT_EQ(row.first_past(0), 0U);
  EXPECT_EQ(row.first_past(0.99), 0U);
  EXPECT_EQ(row.first_past(1), 600U);
  EXPECT_EQ(row.first_past(2.5), 1300U);
  EXPECT_EQ(row.first_past(3), 1300U);
}

}  // namespace
}  // namespace mie
