// Quantiles of every law. Expected values by scipy 1.17: stats.truncnorm, lognorm and gamma with ppf at cdf(min) + u·(cdf(max)
// − cdf(min)); a mixture's by optimize.brentq on its cdf; zipf's by numpy.cumsum.
#include "bench/workload/draw/drawn_law.h"

#include "bench/workload/draw/random_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

namespace mie::bench {
namespace {

LengthSpec law_of(const std::string& text) {
  const auto document = parse_document("length = { " + text + " }", "t");
  struct {
    LengthSpec length;
    void describe(Fields& fields) { fields.field("length", length); }
  } table;
  const auto error = read_fields(*document, table);
  EXPECT_FALSE(error) << error->message;
  return table.length;
}

DrawnLaw made(const std::string& text, Domain domain = Domain::kTokens) {
  auto distribution = DrawnLaw::make(law_of(text), domain);
  EXPECT_TRUE(distribution.has_value()) << text << ": " << distribution.error().message;
  return *distribution;
}

struct Case {
  const char* text;
  std::array<double, 3> at;  // 0.1, 0.5, 0.9
};

TEST(LengthDistribution, QuantilesOfSmoothLaws) {
  for (const Case& each : {
           Case{"dist = \"normal\", mean = 100, sd = 30, min = 80, max = 150",
                {86.17543117650625, 107.78312050349948, 135.58745891186118}},
           Case{"dist = \"lognormal\", median = 256, sigma = 0.8, min = 16, max = 1024",
                {90.18058279188605, 245.6122999549751, 613.3408351512015}},
           Case{"dist = \"lognormal\", mean = 100, cv = 0.5", {48.82381226083211, 89.44271909999159, 163.85447242959015}},
           Case{"dist = \"gamma\", mean = 64, cv = 0.7, min = 4, max = 256",
                {17.921597487798905, 54.097545864880615, 123.14761998659236}},
       }) {
    const DrawnLaw distribution = made(each.text, Domain::kSeconds);
    EXPECT_NEAR(distribution.at(0.1), each.at[0], 1e-9 * each.at[0]) << each.text;
    EXPECT_NEAR(distribution.at(0.5), each.at[1], 1e-9 * each.at[1]) << each.text;
    EXPECT_NEAR(distribution.at(0.9), each.at[2], 1e-9 * each.at[2]) << each.text;
    EXPECT_EQ(made(each.text).length(0.5), std::lround(each.at[1])) << each.text;
  }
}

TEST(LengthDistribution, AMixtureIsInvertedAsAWhole) {
  const std::string parts =
      "dist = \"mixture\", parts = [{ weight = 3, dist = \"normal\", mean = 100, sd = 10 }, "
      "{ weight = 1, dist = \"normal\", mean = 200, sd = 20 }]";
  const DrawnLaw whole = made(parts, Domain::kSeconds), cut = made(parts + ", min = 90, max = 210", Domain::kSeconds);
  EXPECT_NEAR(whole.at(0.1), 88.892283619177, 1e-9);
  EXPECT_NEAR(whole.at(0.74), 122.15878873106216, 1e-9);
  EXPECT_NEAR(whole.at(0.76), 164.98627860317484, 1e-9);
  EXPECT_NEAR(whole.at(0.9), 205.066942062716, 1e-9);
  EXPECT_NEAR(cut.at(0.1), 93.74551790972441, 1e-9);
  EXPECT_NEAR(cut.at(0.5), 105.08849177671073, 1e-9);
  EXPECT_NEAR(cut.at(0.9), 193.3583135124465, 1e-9);
}

TEST(LengthDistribution, AMixtureOfCutAndDiscreteParts) {
  const DrawnLaw mixture = made(
      "dist = \"mixture\", parts = [{ weight = 1, dist = \"fixed\", value = 10 }, "
      "{ weight = 1, dist = \"empirical\", values = [20, 30] }, { weight = 2, dist = \"uniform\", min = 100, max = 199 }]");
  EXPECT_EQ(mixture.length(0.2), 10);
  EXPECT_EQ(mixture.length(0.26), 20);
  EXPECT_EQ(mixture.length(0.49), 30);
  EXPECT_EQ(mixture.length(0.501), 100);
  EXPECT_EQ(mixture.length(0.999), 199);
}

TEST(LengthDistribution, DiscreteLawsGiveEachValueItsShare) {
  const DrawnLaw empirical = made("dist = \"empirical\", values = [30, 10, 20], weights = [1, 2, 1]");
  EXPECT_EQ(empirical.length(0.499), 10);
  EXPECT_EQ(empirical.length(0.501), 20);
  EXPECT_EQ(empirical.length(0.751), 30);
  const DrawnLaw zipf = made("dist = \"zipf\", s = 1.2, n = 10");
  for (const auto& [u, rank] : std::map<double, int>{{0.1, 1}, {0.5, 2}, {0.6, 3}, {0.9, 7}, {0.99, 10}})
    EXPECT_EQ(zipf.length(u), rank) << u;
  const DrawnLaw uniform = made("dist = \"uniform\", min = 8, max = 11");
  EXPECT_EQ(uniform.length(1e-9), 8);
  EXPECT_EQ(uniform.length(0.2499), 8);
  EXPECT_EQ(uniform.length(0.2501), 9);
  EXPECT_EQ(uniform.length(1 - 1e-9), 11);
  EXPECT_EQ(made("dist = \"fixed\", value = 128").length(0.3), 128);
}

TEST(LengthDistribution, AHistogramIsEvenWithinItsBins) {
  const DrawnLaw histogram = made("dist = \"histogram\", edges = [0, 10, 20, 40], counts = [1, 2, 1]", Domain::kSeconds);
  EXPECT_NEAR(histogram.at(0.125), 5, 1e-12);
  EXPECT_NEAR(histogram.at(0.5), 15, 1e-12);
  EXPECT_NEAR(histogram.at(0.875), 30, 1e-12);
}

TEST(LengthDistribution, DiscreteLawsAreCutToTheirValues) {
  const DrawnLaw cut = made("dist = \"empirical\", values = [1, 2, 3, 4], min = 2, max = 3");
  EXPECT_EQ(cut.length(0.49), 2);
  EXPECT_EQ(cut.length(0.51), 3);
}

// Fixed lengths, whatever is drawn.
TEST(LengthDistribution, FixedIsFixed) {
  const RandomStream random("lengths", 3);
  const DrawnLaw fixed = made("dist = \"fixed\", value = 128");
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(fixed.length(random.uniform(i)), 128);
}

TEST(LengthDistribution, StaysWithinItsBounds) {
  const RandomStream random("lengths", 3);
  const DrawnLaw wide = made("dist = \"lognormal\", median = 20, sigma = 3, min = 16, max = 24");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_GE(wide.length(random.uniform(i)), 16);
    EXPECT_LE(wide.length(random.uniform(i)), 24);
  }
  EXPECT_EQ(wide.length(0x1p-53), 16);
  EXPECT_EQ(wide.length(1 - 0x1p-53), 24);
}

TEST(LengthDistribution, ALargerDrawIsNoSmallerLength) {
  for (const char* text :
       {"dist = \"gamma\", mean = 64, cv = 2", "dist = \"zipf\", s = 1, n = 50", "dist = \"uniform\", min = 1, max = 90",
        "dist = \"mixture\", parts = [{ weight = 1, dist = \"gamma\", mean = 9, cv = 1 }, { weight = 1, dist = \"fixed\", "
        "value = 5 }]"}) {
    const DrawnLaw distribution = made(text);
    int before = 0;
    for (int i = 1; i < 400; ++i) {
      const int length = distribution.length(i / 400.0);
      EXPECT_GE(length, before) << text << " at " << i;
      before = length;
    }
  }
}

TEST(LengthDistribution, RefusesToKeepLessThanOnePercent) {
  // P(X ≥ 169.8) of N(100, 30) is 0.99 %, P(X ≥ 169.7) is 1.01 % (scipy: norm.isf(0.01, 100, 30) = 169.79).
  EXPECT_TRUE(DrawnLaw::make(law_of("dist = \"normal\", mean = 100, sd = 30, min = 169.7"), Domain::kSeconds).has_value());
  const auto refused = DrawnLaw::make(law_of("dist = \"normal\", mean = 100, sd = 30, min = 169.9"), Domain::kSeconds);
  ASSERT_TRUE(refused.has_error());
  EXPECT_NE(refused.error().message.find("less than 1 %"), std::string::npos);
}

}  // namespace
}  // namespace mie::bench
