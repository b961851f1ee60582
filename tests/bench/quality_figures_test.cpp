// Expected values are worked out by hand; ln 2 = 0.693147….
#include "bench/quality/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace mie::quality {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr double kLn2 = std::numbers::ln2;

ScoredRow row(std::vector<double> probabilities, int greedy = 0) {
  ScoredRow row{.greedy = TokenId(greedy), .logprobs = {}};
  for (const double p : probabilities) row.logprobs.push_back(static_cast<float>(std::log(p)));
  return row;
}

PositionFigures position(double kl, bool same_greedy = true, double reference_logprob = -1, double logprob = -1) {
  return {.kl = kl, .same_greedy = same_greedy, .reference_logprob = reference_logprob, .logprob = logprob};
}

TEST(QualityCompare, KlIsThatOfHandComputedDistributions) {
  // ½ ln(½ / ¼) + ¼ ln(¼ / ½) + ¼ ln 1 = ¼ ln 2
  EXPECT_NEAR(compare(row({0.5, 0.25, 0.25}), row({0.25, 0.5, 0.25}), TokenId(0)).kl, 0.25 * kLn2, 1e-7);
}

TEST(QualityCompare, KlIsNotSymmetric) {
  const auto p = row({0.5, 0.5}), q = row({0.75, 0.25});
  EXPECT_NEAR(compare(p, q, TokenId(0)).kl, 0.5 * std::log(2.0 / 3) + 0.5 * kLn2, 1e-7);
  EXPECT_NEAR(compare(q, p, TokenId(0)).kl, 0.75 * std::log(1.5) - 0.25 * kLn2, 1e-7);
}

TEST(QualityCompare, ARowIsAtNoDistanceFromItself) {
  EXPECT_EQ(compare(row({0.7, 0.2, 0.1}), row({0.7, 0.2, 0.1}), TokenId(1)).kl, 0);
}

TEST(QualityCompare, AConstantAddedToARowChangesNothing) {
  auto shifted = row({0.25, 0.5, 0.25});
  for (float& logprob : shifted.logprobs) logprob += 3;
  const auto figures = compare(row({0.5, 0.25, 0.25}), shifted, TokenId(1));
  EXPECT_NEAR(figures.kl, 0.25 * kLn2, 1e-6);
  EXPECT_NEAR(figures.logprob, -kLn2, 1e-6);
}

TEST(QualityCompare, AnIdThatNeitherSamplesCountsForNothing) {
  auto p = row({0.5, 0.25, 0.25}), q = row({0.25, 0.5, 0.25});
  p.logprobs.push_back(kNever);
  q.logprobs.push_back(kNever);
  EXPECT_NEAR(compare(p, q, TokenId(0)).kl, 0.25 * kLn2, 1e-7);
}

TEST(QualityCompare, AnIdThatOnlyTheReferenceSamplesIsInfinitelyFar) {
  auto q = row({1, 1});
  q.logprobs[1] = kNever;
  EXPECT_EQ(compare(row({0.5, 0.5}), q, TokenId(0)).kl, std::numeric_limits<double>::infinity());
}

TEST(QualityCompare, GreedyIsComparedByTokenNotByLogprob) {
  EXPECT_TRUE(compare(row({0.5, 0.5}, 1), row({0.6, 0.4}, 1), TokenId(0)).same_greedy);
  EXPECT_FALSE(compare(row({0.5, 0.5}, 0), row({0.5, 0.5}, 1), TokenId(0)).same_greedy);
}

TEST(QualityCompare, LogprobsAreThoseOfTheNextToken) {
  const auto figures = compare(row({0.5, 0.25, 0.25}), row({0.125, 0.75, 0.125}), TokenId(2));
  EXPECT_NEAR(figures.reference_logprob, -2 * kLn2, 1e-7);
  EXPECT_NEAR(figures.logprob, -3 * kLn2, 1e-7);
}

TEST(QualityQuantile, IsLinearBetweenNeighbours) {
  const std::vector<double> values = {1, 2, 4, 8, 16};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 0.5), 4);
  EXPECT_EQ(quantile(values, 0.625), 6);  // halfway from the third to the fourth
  EXPECT_EQ(quantile(values, 1), 16);
}

TEST(QualityQuantile, OfThreeValuesInterpolatesTheTwoLargest) {
  const std::vector<double> values = {1, 2, 4};
  EXPECT_EQ(quantile(values, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 3.8);
}

TEST(QualitySummary, MeanErrorMedianAndMaximumOfKl) {
  const auto summary = summarise(std::vector{position(1), position(2), position(3), position(6)});
  EXPECT_EQ(summary.n_positions, 4);
  EXPECT_EQ(summary.mean_kl, 3);
  EXPECT_EQ(summary.median_kl, 2.5);
  EXPECT_EQ(summary.max_kl, 6);
  // squared deviations 4 + 1 + 0 + 9 = 14; 14/3 is the variance of a position, 14/12 that of the mean
  EXPECT_NEAR(summary.mean_kl_error, std::sqrt(14.0 / 12), 1e-12);
}

TEST(QualitySummary, GreedyAgreementIsAShareOfPositions) {
  EXPECT_EQ(summarise(std::vector{position(0), position(0, false), position(0), position(0)}).greedy_agreement, 0.75);
}

TEST(QualitySummary, PerplexityIsTheInverseGeometricMeanOfTheTextsTokens) {
  // probabilities ½ and ⅛ against ¼ and ¼: geometric means ¼ and ¼
  const auto summary = summarise(std::vector{position(0, true, -1 * kLn2, -2 * kLn2), position(0, true, -3 * kLn2, -2 * kLn2)});
  EXPECT_NEAR(summary.reference_perplexity, 4, 1e-12);
  EXPECT_NEAR(summary.perplexity, 4, 1e-12);
  EXPECT_NEAR(summary.max_logprob_difference, kLn2, 1e-12);
  // differences of probability -¼ and +⅛
  EXPECT_NEAR(summary.rms_probability_difference, std::sqrt((1.0 / 16 + 1.0 / 64) / 2), 1e-12);
}

}  // namespace
}  // namespace mie::quality
