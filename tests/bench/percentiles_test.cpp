// Expected values are worked out by hand.
#include "bench/metrics/percentiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace mie::bench {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> one_to(int n) {
  std::vector<double> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 1.0);
  return out;
}

const Percentile& at(const Distribution& distribution, int permille) {
  for (const Percentile& one : distribution.percentiles)
    if (one.permille == permille) return one;
  throw std::logic_error("no such percentile");
}

TEST(Percentiles, OfOneTwoFourTheMedianIs2AndP95Is3Point8) {
  const std::vector<double> values = {1, 2, 4};
  EXPECT_DOUBLE_EQ(linear_percentile(values, 500), 2.0);
  EXPECT_DOUBLE_EQ(linear_percentile(values, 950), 3.8);  // 2 + 0.9 · (4 − 2)
}

TEST(Percentiles, NearestRankIsAValueOfTheSample) {
  const auto values = one_to(100);
  EXPECT_EQ(nearest_rank(values, 500), 50);
  EXPECT_EQ(nearest_rank(values, 990), 99);
  EXPECT_EQ(nearest_rank(values, 999), 100);  // rank 99.9 is the hundredth
  EXPECT_EQ(nearest_rank(values, 10), 1);
  const std::vector<double> four = {10, 20, 30, 40};
  EXPECT_EQ(nearest_rank(four, 250), 10);
  EXPECT_EQ(nearest_rank(four, 251), 20);
  EXPECT_EQ(nearest_rank(four, 0), 10);
}

TEST(Percentiles, LinearReachesBothEnds) {
  const std::vector<double> values = {10, 20, 40};
  EXPECT_EQ(linear_percentile(values, 0), 10);
  EXPECT_EQ(linear_percentile(values, 1000), 40);
  EXPECT_DOUBLE_EQ(linear_percentile(values, 750), 30);  // at 1.5
}

TEST(Percentiles, AnInfiniteNeighbourDoesNotSpoilAnExactRank) {
  const std::vector<double> values = {1, 2, kInf};
  EXPECT_EQ(linear_percentile(values, 500), 2);
  EXPECT_EQ(linear_percentile(values, 750), kInf);
}

TEST(Percentiles, AreWithheldBelowTenValuesBeyondThem) {
  EXPECT_EQ(needed_for(900), 100);
  EXPECT_EQ(needed_for(950), 200);
  EXPECT_EQ(needed_for(990), 1000);
  EXPECT_EQ(needed_for(999), 10000);
  EXPECT_EQ(needed_for(500), 20);

  const Distribution below = distribution_of(one_to(199)), enough = distribution_of(one_to(200));
  EXPECT_TRUE(at(below, 950).withheld);
  EXPECT_EQ(at(below, 950).needed, 200);
  EXPECT_FALSE(at(enough, 950).withheld);
  EXPECT_TRUE(at(enough, 990).withheld);
}

TEST(Percentiles, DistributionOfEightValues) {
  const Distribution of = distribution_of({9, 2, 4, 5, 4, 7, 5, 4});  // mean 5; squares 16 9 1 0 1 4 0 1 = 32
  EXPECT_EQ(of.n, 8);
  EXPECT_DOUBLE_EQ(of.mean, 5);
  EXPECT_DOUBLE_EQ(of.sd, std::sqrt(32.0 / 7));
  EXPECT_EQ(of.min, 2);
  EXPECT_EQ(of.max, 9);
  EXPECT_DOUBLE_EQ(at(of, 500).linear, 4.5);  // between the fourth, 4, and the fifth, 5
  EXPECT_EQ(at(of, 500).nearest, 4);
}

TEST(Percentiles, OfNothingAllAreWithheld) {
  const Distribution none = distribution_of({});
  EXPECT_EQ(none.n, 0);
  for (const Percentile& one : none.percentiles) EXPECT_TRUE(one.withheld);
  EXPECT_EQ(distribution_of({3}).sd, 0);
}

}  // namespace
}  // namespace mie::bench
