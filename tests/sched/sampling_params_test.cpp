#include "core/sampling_params.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mie {
namespace {

using Raw = SamplingParams::Raw;

constexpr int kVocab = 49'152;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Set>
Result<SamplingParams> with(Set set) {
  Raw raw;
  set(raw);
  return SamplingParams::from(raw, kVocab);
}

template <class Set>
void expect_refused(Set set, const std::string& param, const std::string& message) {
  const auto params = with(set);
  ASSERT_TRUE(params.has_error()) << message;
  EXPECT_EQ(params.error().code, Errc::kInvalidValue);
  EXPECT_EQ(params.error().param, param);
  EXPECT_EQ(params.error().message, message);
}

TEST(SamplingParams, DefaultsAreTheDocumentedOnes) {
  for (const SamplingRow& row : {SamplingParams().row(), with([](Raw&) {}).value().row()}) {
    EXPECT_EQ(row.temperature, 1);
    EXPECT_EQ(row.top_p, 1);
    EXPECT_EQ(row.top_k, 0);
    EXPECT_EQ(row.min_p, 0);
    EXPECT_EQ(row.presence_penalty, 0);
    EXPECT_EQ(row.frequency_penalty, 0);
    EXPECT_EQ(row.repetition_penalty, 1);
    EXPECT_EQ(row.n_top_logprobs, -1);
    EXPECT_EQ(row.seed, 0U);
    EXPECT_TRUE(row.logit_bias.empty());
    EXPECT_TRUE(row.banned.empty());
  }
}

TEST(SamplingParams, RowCarriesEveryField) {
  const SamplingParams params = with([](Raw& raw) {
                                  raw = {.temperature = 0.5,
                                         .top_p = 0.25,
                                         .top_k = 40,
                                         .min_p = 0.125,
                                         .presence_penalty = -1,
                                         .frequency_penalty = 2,
                                         .repetition_penalty = 1.5,
                                         .logit_bias = {{TokenId(17), -100}},
                                         .seed = 77,
                                         .n_top_logprobs = 20};
                                }).value();
  const SamplingRow row = params.row();
  EXPECT_EQ(row.temperature, 0.5F);
  EXPECT_EQ(row.top_p, 0.25F);
  EXPECT_EQ(row.top_k, 40);
  EXPECT_EQ(row.min_p, 0.125F);
  EXPECT_EQ(row.presence_penalty, -1);
  EXPECT_EQ(row.frequency_penalty, 2);
  EXPECT_EQ(row.repetition_penalty, 1.5F);
  EXPECT_EQ(row.seed, 77U);
  EXPECT_EQ(row.n_top_logprobs, 20);
  ASSERT_EQ(row.logit_bias.size(), 1U);
  EXPECT_EQ(row.logit_bias[0].token, TokenId(17));
  EXPECT_EQ(row.logit_bias[0].bias, -100);
  EXPECT_FALSE(params.greedy());
}

// E11 of the interface: the message is the one of its example body.
TEST(SamplingParams, TemperatureRange) {
  for (const auto& [value, text] : std::vector<std::pair<double, std::string>>{
           {-1, "-1"}, {2.01, "2.01"}, {3, "3"}, {kNan, "nan"}, {kInf, "inf"}, {-kInf, "-inf"}})
    expect_refused([v = value](Raw& raw) { raw.temperature = v; }, "temperature",
                   "temperature must be between 0 and 2, got " + text);
  EXPECT_EQ(with([](Raw& raw) { raw.temperature = 2; }).value().row().temperature, 2);
}

// E12.
TEST(SamplingParams, TinyTemperaturesAreGreedy) {
  for (const double value : {0.0, -0.0, 5e-324, 1e-6, 1e-4}) {
    const SamplingParams params = with([&](Raw& raw) { raw.temperature = value; }).value();
    EXPECT_TRUE(params.greedy()) << value;
    EXPECT_EQ(params.row().temperature, 0) << value;
    EXPECT_FALSE(std::signbit(params.row().temperature)) << value;
  }
  for (const double value : {std::nextafter(1e-4, 1.0), 1e-2})
    EXPECT_FALSE(with([&](Raw& raw) { raw.temperature = value; }).value().greedy()) << value;
}

// E13.
TEST(SamplingParams, ProbabilityAndPenaltyRanges) {
  EXPECT_EQ(with([](Raw& raw) { raw.top_p = 0; }).value().row().top_p, 0);
  EXPECT_EQ(with([](Raw& raw) { raw.top_p = 1; }).value().row().top_p, 1);
  expect_refused([](Raw& raw) { raw.top_p = -0.1; }, "top_p", "top_p must be between 0 and 1, got -0.1");
  expect_refused([](Raw& raw) { raw.top_p = 1.1; }, "top_p", "top_p must be between 0 and 1, got 1.1");
  expect_refused([](Raw& raw) { raw.min_p = 2; }, "min_p", "min_p must be between 0 and 1, got 2");
  expect_refused([](Raw& raw) { raw.frequency_penalty = 99; }, "frequency_penalty",
                 "frequency_penalty must be between -2 and 2, got 99");
  expect_refused([](Raw& raw) { raw.presence_penalty = -2.5; }, "presence_penalty",
                 "presence_penalty must be between -2 and 2, got -2.5");
  for (const double value : {-2.0, 2.0}) {
    EXPECT_TRUE(with([&](Raw& raw) { raw.presence_penalty = value; }).has_value());
    EXPECT_TRUE(with([&](Raw& raw) { raw.frequency_penalty = value; }).has_value());
  }
}

TEST(SamplingParams, RepetitionPenaltyRange) {
  const std::string range = "repetition_penalty must be above 0 and at most 10, got ";
  expect_refused([](Raw& raw) { raw.repetition_penalty = 0; }, "repetition_penalty", range + "0");
  expect_refused([](Raw& raw) { raw.repetition_penalty = -1; }, "repetition_penalty", range + "-1");
  expect_refused([](Raw& raw) { raw.repetition_penalty = 10.5; }, "repetition_penalty", range + "10.5");
  expect_refused([](Raw& raw) { raw.repetition_penalty = kNan; }, "repetition_penalty", range + "nan");
  EXPECT_EQ(with([](Raw& raw) { raw.repetition_penalty = 10; }).value().row().repetition_penalty, 10);
}

TEST(SamplingParams, ATinyRepetitionPenaltyKeepsLogitsFinite) {
  for (const double value : {5e-324, 1e-40, 1e-20}) {
    const float penalty = with([&](Raw& raw) { raw.repetition_penalty = value; }).value().row().repetition_penalty;
    EXPECT_GT(penalty, 0);
    EXPECT_TRUE(std::isfinite(1e4F / penalty)) << value;
  }
}

TEST(SamplingParams, NanAndInfinityAreRefusedEverywhere) {
  for (double Raw::* field : {&Raw::temperature, &Raw::top_p, &Raw::min_p, &Raw::presence_penalty, &Raw::frequency_penalty,
                              &Raw::repetition_penalty}) {
    for (const double value : {kNan, kInf, -kInf, 1e300, -1e300})
      EXPECT_TRUE(with([&](Raw& raw) { raw.*field = value; }).has_error()) << value;
  }
}

// E14.
TEST(SamplingParams, TopKIsOffBelowOneAndCutAtTheVocabulary) {
  const auto top_k = [](std::int64_t k) { return with([&](Raw& raw) { raw.top_k = k; }).value().row().top_k; };
  EXPECT_EQ(top_k(0), 0);
  EXPECT_EQ(top_k(-1), 0);
  EXPECT_EQ(top_k(1), 1);
  EXPECT_EQ(top_k(kVocab), kVocab);
  EXPECT_EQ(top_k(kVocab + 1), kVocab);
  EXPECT_EQ(top_k(9'999'999), kVocab);
  EXPECT_EQ(top_k(2'147'483'648), kVocab);
  EXPECT_EQ(top_k(std::numeric_limits<std::int64_t>::max()), kVocab);
  expect_refused([](Raw& raw) { raw.top_k = -2; }, "top_k", "top_k must be -1, 0 or at least 1, got -2");
  EXPECT_TRUE(with([](Raw& raw) { raw.top_k = std::numeric_limits<std::int64_t>::min(); }).has_error());
}

// E15: what reaches here as a 64-bit integer.
TEST(SamplingParams, SeedRange) {
  EXPECT_EQ(with([](Raw& raw) { raw.seed = 9'223'372'036'854'775'807U; }).value().seed(), 9'223'372'036'854'775'807U);
  expect_refused([](Raw& raw) { raw.seed = 9'223'372'036'854'775'808U; }, "seed",
                 "seed must be between 0 and 9223372036854775807, got 9223372036854775808");
}

// E22.
TEST(SamplingParams, LogitBiasIdsAndValues) {
  const auto bias = [](int id, float value) {
    return [=](Raw& raw) { raw.logit_bias = {{TokenId(0), 1}, {TokenId(id), value}}; };
  };
  EXPECT_TRUE(with(bias(kVocab - 1, 100)).has_value());
  EXPECT_TRUE(with(bias(1, -100)).has_value());
  expect_refused(bias(-1, 0), "logit_bias.-1", "logit_bias.-1 must be for a token id between 0 and 49151, got -1");
  expect_refused(bias(999'999, 0), "logit_bias.999999",
                 "logit_bias.999999 must be for a token id between 0 and 49151, got 999999");
  EXPECT_TRUE(with(bias(kVocab, 0)).has_error());
  expect_refused(bias(17, 101), "logit_bias.17", "logit_bias.17 must be between -100 and 100, got 101");
  expect_refused(bias(17, 1e9F), "logit_bias.17", "logit_bias.17 must be between -100 and 100, got 1000000000");
  EXPECT_TRUE(with(bias(17, std::numeric_limits<float>::quiet_NaN())).has_error());
}

TEST(SamplingParams, LogitBiasHoldsAtMost1024Entries) {
  const auto entries = [](int n) {
    return [=](Raw& raw) {
      for (int id = 0; id < n; ++id) raw.logit_bias.push_back({TokenId(id), 1});
    };
  };
  EXPECT_TRUE(with(entries(1024)).has_value());
  expect_refused(entries(1025), "logit_bias", "logit_bias must be at most 1024 entries, got 1025");
}

// E21: the server's limit decides.
TEST(SamplingParams, TopLogprobsRange) {
  const auto n = [](std::int32_t k) { return [=](Raw& raw) { raw.n_top_logprobs = k; }; };
  EXPECT_EQ(with(n(0)).value().n_top_logprobs(), 0);
  EXPECT_EQ(with(n(20)).value().n_top_logprobs(), 20);
  expect_refused(n(21), "top_logprobs", "top_logprobs must be between 0 and 20, got 21");
  EXPECT_TRUE(with(n(-2)).has_error());
  Raw raw;
  raw.n_top_logprobs = 6;
  EXPECT_TRUE(SamplingParams::from(raw, kVocab, 5).has_error());
  EXPECT_TRUE(SamplingParams::from(raw, kVocab, 6).has_value());
}

TEST(SamplingParams, TheFirstWrongFieldInTableOrderIsNamed) {
  const auto params = with([](Raw& raw) {
    raw.repetition_penalty = 0;
    raw.top_p = 2;
    raw.seed = ~std::uint64_t{0};
  });
  ASSERT_TRUE(params.has_error());
  EXPECT_EQ(params.error().param, "top_p");
}

}  // namespace
}  // namespace mie
