// Goodness of fit: draws over many positions against probabilities computed from the definition of each step.
#include "models/sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace mie {
namespace {

constexpr int kDraws = 40'000;

using Probabilities = std::vector<double>;

// Critical value of chi-square at 1e-4, by the cube approximation of Wilson and Hilferty (1931).
double critical_value(int degrees) {
  constexpr double kNormalQuantile = 3.719;
  const double spread = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1 - spread + kNormalQuantile * std::sqrt(spread), 3);
}

void expect_fit(const std::vector<float>& logits, SamplingRow row, Probabilities expected) {
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  Sampler sampler(static_cast<int>(logits.size()), static_cast<int>(logits.size()));
  std::vector<int> counts(logits.size(), 0);
  for (row.position = 0; row.position < kDraws; ++row.position) {
    auto scratch = logits;
    ++counts[static_cast<std::size_t>(sampler.sample(scratch, row).token.value())];
  }
  double statistic = 0;
  int cells = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double wanted = expected[i] / total * kDraws;
    if (wanted == 0) {
      EXPECT_EQ(counts[i], 0) << i;
      continue;
    }
    statistic += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
    ++cells;
  }
  EXPECT_LT(statistic, critical_value(cells - 1));
}

const Probabilities kMasses = {0.02, 0.25, 0.05, 0.18, 0.01, 0.30, 0.04, 0.15};

std::vector<float> logits_of(const Probabilities& masses) {
  std::vector<float> logits;
  for (const double mass : masses) logits.push_back(static_cast<float>(std::log(mass) + 3));
  return logits;
}

Probabilities powers(double exponent) {
  Probabilities out;
  for (const double mass : kMasses) out.push_back(std::pow(mass, exponent));
  return out;
}

TEST(SamplerDistribution, TemperatureRaisesProbabilitiesToItsInverse) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    expect_fit(logits_of(kMasses), {.temperature = 1, .seed = seed}, kMasses);
    expect_fit(logits_of(kMasses), {.temperature = 0.5F, .seed = seed}, powers(2));
    expect_fit(logits_of(kMasses), {.temperature = 2, .seed = seed}, powers(0.5));
  }
}

TEST(SamplerDistribution, TopKRenormalises) {
  expect_fit(logits_of(kMasses), {.top_k = 3, .seed = 4}, {0, 0.25, 0, 0.18, 0, 0.30, 0, 0});
}

// Sorted: 0.30, 0.25, 0.18, 0.15 are the first to reach 0.8.
TEST(SamplerDistribution, TopPRenormalises) {
  expect_fit(logits_of(kMasses), {.top_p = 0.8F, .seed = 5}, {0, 0.25, 0, 0.18, 0, 0.30, 0, 0.15});
}

// 0.1 of 0.30 leaves what is at least 0.03.
TEST(SamplerDistribution, MinPRenormalises) {
  expect_fit(logits_of(kMasses), {.min_p = 0.1F, .seed = 6}, {0, 0.25, 0.05, 0.18, 0, 0.30, 0.04, 0.15});
}

TEST(SamplerDistribution, DrawsOfOtherSeedsFitAtOnePosition) {
  Sampler sampler(8, 8);
  std::vector<int> counts(8, 0);
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    auto logits = logits_of(kMasses);
    ++counts[static_cast<std::size_t>(sampler.sample(logits, {.seed = seed, .position = 17}).token.value())];
  }
  double statistic = 0;
  for (std::size_t i = 0; i < 8; ++i) statistic += std::pow(counts[i] - kMasses[i] * kDraws, 2) / (kMasses[i] * kDraws);
  EXPECT_LT(statistic, critical_value(7));
}

}  // namespace
}  // namespace mie
