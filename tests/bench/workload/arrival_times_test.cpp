// Arrival laws against what they claim: exact distributions by Kolmogorov and Smirnov's test (seeds are fixed, so a verdict is
// too), rates and squared coefficients of variation. A law whose rate changes is judged through its integrated rate, under
// which its gaps are exponential; the integrals are written here in their own way.
#include "bench/workload/draw/arrival_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace mie::bench {
namespace {

constexpr std::size_t kMany = 20000;

std::vector<double> arrivals(const ArrivalSpec& spec, std::size_t n, std::int64_t seed = 11) {
  ArrivalTimes times(spec, seed, {});
  std::vector<double> all;
  for (std::size_t i = 0; i < n; ++i) {
    const auto time = times.next();
    if (!time) break;
    all.push_back(*time);
  }
  return all;
}

std::vector<double> gaps_of(const std::vector<double>& stamps) {
  std::vector<double> gaps;
  gaps.reserve(stamps.size());
  double before = 0;
  for (const double stamp : stamps) gaps.push_back(stamp - std::exchange(before, stamp));
  return gaps;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double squared_cv_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size()) / (mean * mean);
}

// The largest distance between the empirical distribution and `cdf` is below the value that one sample in a thousand exceeds.
void expect_law(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    worst =
        std::max({worst, std::abs(expected - static_cast<double>(i) / n), std::abs(expected - static_cast<double>(i + 1) / n)});
  }
  EXPECT_LT(worst, 1.95 / std::sqrt(n));
}

double unit_exponential(double x) { return 1 - std::exp(-x); }

ArrivalSpec law(ArrivalLaw which, double rate = 0) {
  ArrivalSpec spec;
  spec.law = which;
  spec.rate = rate;
  return spec;
}

TEST(ArrivalTimes, ABurstIsAtZero) { EXPECT_EQ(arrivals(law(ArrivalLaw::kBurst), 3), (std::vector{0.0, 0.0, 0.0})); }

TEST(ArrivalTimes, ConstantGapsAreEqual) {
  EXPECT_EQ(arrivals(law(ArrivalLaw::kConstant, 4), 4), (std::vector{0.0, 0.25, 0.5, 0.75}));
}

TEST(ArrivalTimes, PoissonGapsAreExponential) {
  const auto gaps = gaps_of(arrivals(law(ArrivalLaw::kPoisson, 4), kMany));
  expect_law(gaps, [](double gap) { return unit_exponential(4 * gap); });
  EXPECT_NEAR(mean_of(gaps), 0.25, 4 * 0.25 / std::sqrt(kMany));
  EXPECT_NEAR(squared_cv_of(gaps), 1, 0.06);
}

// Shape 2 has a closed form: 1 − (1 + x)·e^−x.
TEST(ArrivalTimes, GammaGapsHaveTheirShape) {
  ArrivalSpec spec = law(ArrivalLaw::kGamma, 4);
  spec.shape = 2;
  const auto gaps = gaps_of(arrivals(spec, kMany));
  expect_law(gaps, [](double gap) { return 1 - (1 + 8 * gap) * std::exp(-8 * gap); });
  EXPECT_NEAR(mean_of(gaps), 0.25, 0.005);
  EXPECT_NEAR(squared_cv_of(gaps), 0.5, 0.03);
  spec.shape = 0.25;
  EXPECT_NEAR(squared_cv_of(gaps_of(arrivals(spec, kMany))), 4, 0.4);
}

TEST(ArrivalTimes, OnOffIsPoissonWhileOn) {
  ArrivalSpec spec = law(ArrivalLaw::kOnoff, 5);
  spec.on_s = 3;
  spec.off_s = 7;
  std::vector<double> on_times;
  for (const double t : arrivals(spec, kMany)) {
    const double within = std::fmod(t, 10.0);
    EXPECT_LE(within, 3 + 1e-6);
    on_times.push_back(std::floor(t / 10) * 3 + std::min(within, 3.0));
  }
  expect_law(gaps_of(on_times), [](double gap) { return unit_exponential(5 * gap); });
}

TEST(ArrivalTimes, SineFollowsItsRate) {
  ArrivalSpec spec = law(ArrivalLaw::kSine);
  spec.mean = 2;
  spec.amp = 2;
  spec.period = 10;
  const auto stamps = arrivals(spec, kMany);
  std::vector<double> work;
  work.reserve(stamps.size());
  for (const double t : stamps)
    work.push_back(2 * t + 2 * 10 / std::numbers::pi * std::pow(std::sin(std::numbers::pi * t / 10), 2));
  expect_law(gaps_of(work), unit_exponential);
  // Of the rate's integral over a period, the first half has 10 + 2·2·10/2π of 20: 0.8183.
  const auto early = std::ranges::count_if(stamps, [](double t) { return std::fmod(t, 10.0) < 5; });
  EXPECT_NEAR(static_cast<double>(early) / kMany, 0.5 + 1 / std::numbers::pi, 0.012);
}

TEST(ArrivalTimes, StepsHaveTheirRatesAndEnd) {
  ArrivalSpec spec = law(ArrivalLaw::kSteps);
  spec.steps = {{.rate = 10, .s = 100}, {.rate = 0, .s = 50}, {.rate = 40, .s = 100}};
  const auto stamps = arrivals(spec, 100'000);
  const auto between = [&stamps](double a, double b) {
    return static_cast<double>(std::ranges::count_if(stamps, [a, b](double t) { return t >= a && t < b; }));
  };
  EXPECT_NEAR(between(0, 100), 1000, 4 * std::sqrt(1000));
  EXPECT_EQ(between(100, 150), 0);
  EXPECT_NEAR(between(150, 250), 4000, 4 * std::sqrt(4000));
  EXPECT_EQ(between(0, 250), static_cast<double>(stamps.size()));
}

TEST(ArrivalTimes, ATraceIsScaledAndItsGapsAreClipped) {
  ArrivalSpec spec = law(ArrivalLaw::kTrace);
  spec.scale = 0.5;
  spec.clip = 2;
  ArrivalTimes times(spec, 1, {0, 1, 11, 12});
  for (const double expected : {0.0, 0.5, 2.5, 3.0}) EXPECT_DOUBLE_EQ(times.next().value(), expected);
  EXPECT_FALSE(times.next());
}

TEST(ArrivalTimes, TimesDoNotFall) {
  for (const ArrivalLaw which : {ArrivalLaw::kPoisson, ArrivalLaw::kOnoff, ArrivalLaw::kSine}) {
    ArrivalSpec spec = law(which, 3);
    spec.on_s = spec.off_s = 1;
    spec.mean = spec.amp = 3;
    spec.period = 4;
    EXPECT_TRUE(std::ranges::is_sorted(arrivals(spec, kMany)));
  }
}

}  // namespace
}  // namespace mie::bench
