#include "models/sampling/sampler.h"

#include "tests/models/sampling_shorthand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace mie {
namespace {

using namespace test;

TEST(Sampler, GreedyTakesTheHighestAndOfEqualsTheLowestId) {
  EXPECT_EQ(token({1, 3, 2}, kGreedy), 1);
  EXPECT_EQ(token({1, 3, 3, 3}, kGreedy), 1);
  EXPECT_EQ(token({-kInf, -5, -kInf}, kGreedy), 1);
  EXPECT_EQ(token({0.0F, -0.0F}, kGreedy), 0);
  EXPECT_EQ(token({-0.0F, 0.0F}, kGreedy), 0);
}

TEST(Sampler, TinyTemperaturesAreGreedy) {
  for (const float temperature : {0.0F, 1e-45F, 1e-6F, 1e-4F}) {
    EXPECT_EQ(support({1, 1, 1}, {.temperature = temperature}), std::set<int>{0}) << temperature;
  }
  EXPECT_EQ(support({1, 1, 1}, {.temperature = 1.1e-4F}), (std::set<int>{0, 1, 2}));
}

TEST(Sampler, NoTemperatureOverflows) {
  EXPECT_EQ(token({kHuge, -kHuge, 0}, {.temperature = 1e-2F}), 0);
  EXPECT_EQ(token({-kHuge, kHuge, 0}, {.temperature = 2}), 1);
  EXPECT_EQ(support({300, 300, 0}, {.temperature = 1e-2F}), (std::set<int>{0, 1}));
}

TEST(Sampler, PaddingIsNeverSampledNorListed) {
  Sampler sampler(4, 3);
  Logits logits = {0, 1, 0, 9};
  SamplingRow row = kGreedy;
  row.n_top_logprobs = 4;
  const auto greedy = sampler.sample(logits, row);
  EXPECT_EQ(greedy.token, TokenId(1));
  ASSERT_EQ(greedy.top.size(), 3U);
  for (const auto& top : greedy.top) EXPECT_LT(top.token.value(), 3);
  // The normaliser is the model's own: it counts the padding. 1 - log(e^0 + e^1 + e^0 + e^9) = -8.00058...
  EXPECT_NEAR(greedy.logprob, 1 - std::log(2 + std::exp(1.0) + std::exp(9.0)), 1e-6);
  for (row = {}; row.position < 500; ++row.position) {
    logits = {0, 1, 0, 9};
    EXPECT_LT(sampler.sample(logits, row).token.value(), 3);
  }
}

TEST(Sampler, BannedTokensAreSkipped) {
  const auto banned = ids({1, 2});
  SamplingRow row = kGreedy;
  row.banned = banned;
  EXPECT_EQ(token({1, 5, 4, 2}, row), 3);
  row.temperature = 2;
  EXPECT_EQ(support({1, 5, 4, 2}, row), (std::set<int>{0, 3}));
}

TEST(Sampler, RepetitionPenaltyCountsEachTokenOnceOverPromptAndOutput) {
  const auto prompt = ids({0, 0});
  const auto generated = ids({0, 2});
  SamplingRow row = kGreedy;
  row.repetition_penalty = 2;
  row.prompt = prompt;
  row.generated = generated;
  EXPECT_EQ(token({4, 1.9F, 0}, row), 0);  // 4 / 2 beats 1.9; 4 / 4 would not
  EXPECT_EQ(token({4, 2.1F, 0}, row), 1);
  EXPECT_EQ(token({-1, -1.9F, -1}, row), 1);  // negative logits are multiplied: -2, -1.9, -2
  EXPECT_EQ(token({0, -1, 5}, row), 2);       // 2.5
  row.repetition_penalty = 0.5F;
  EXPECT_EQ(token({2, 3.9F, 0}, row), 0);  // below 1 it rewards
}

TEST(Sampler, FrequencyCountsAndPresenceDoesNot) {
  const auto prompt = ids({1, 1, 1});  // neither looks at the prompt
  const auto generated = ids({0, 2, 0});
  SamplingRow row = kGreedy;
  row.prompt = prompt;
  row.generated = generated;
  row.frequency_penalty = 0.5F;
  EXPECT_EQ(token({3, 1.9F, 2.6F}, row), 2);  // 2, 1.9, 2.1
  EXPECT_EQ(token({3, 2.2F, 2.6F}, row), 1);
  row.frequency_penalty = 0;
  row.presence_penalty = 0.5F;
  EXPECT_EQ(token({3, 2.4F, 2.9F}, row), 0);  // 2.5, 2.4, 2.4
  EXPECT_EQ(token({3, 2.6F, 2.9F}, row), 1);
  row.presence_penalty = -0.5F;
  EXPECT_EQ(token({3, 3.4F, 2.9F}, row), 0);
}

TEST(Sampler, StepsComeInTheirOrder) {
  const auto generated = ids({0});
  SamplingRow row = kGreedy;
  row.generated = generated;
  row.repetition_penalty = 2;
  row.frequency_penalty = 1;
  EXPECT_EQ(token({2, 0.25F}, row), 1);  // 2 / 2 - 1 = 0; the other order gives (2 - 1) / 2 = 0.5
  row.frequency_penalty = 0;
  const std::vector<LogitBias> bias = {{TokenId(0), 1}};
  row.logit_bias = bias;
  EXPECT_EQ(token({2, 1.75F}, row), 0);  // 2 / 2 + 1 = 2; the other order gives (2 + 1) / 2 = 1.5
}

TEST(Sampler, BiasAddsAndMinus100Bans) {
  const std::vector<LogitBias> bias = {{TokenId(0), -2}, {TokenId(2), 2}, {TokenId(3), -100}};
  SamplingRow row = kGreedy;
  row.logit_bias = bias;
  EXPECT_EQ(token({4, 2.5F, 1, 500}, row), 2);
  row.temperature = 2;
  EXPECT_EQ(support({0, 0, 0, 500}, row).count(3), 0U);
  const std::vector<LogitBias> raised = {{TokenId(1), 100}};
  const auto banned = ids({1});
  row.logit_bias = raised;
  row.banned = banned;
  EXPECT_EQ(support({0, 0}, row), std::set<int>{0});  // a bias does not lift a ban
}

TEST(Sampler, TopKKeepsTheBestAndOfEqualsTheLowestIds) {
  const Logits logits = {1, 3, 2, 3, 2, 2};
  EXPECT_EQ(support(logits, {.top_k = 1}), (std::set<int>{1}));
  EXPECT_EQ(support(logits, {.top_k = 2}), (std::set<int>{1, 3}));
  EXPECT_EQ(support(logits, {.top_k = 4}), (std::set<int>{1, 2, 3, 4}));
  EXPECT_EQ(support(logits, {.top_k = 6}), (std::set<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(support(logits, {.top_k = 2147483647}), (std::set<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(support(logits, {.top_k = 0}), (std::set<int>{0, 1, 2, 3, 4, 5}));
}

TEST(Sampler, TopPKeepsTheSmallestSetThatHoldsTheMass) {
  const Logits logits = log_of({0.1, 0.2, 0.3, 0.4});
  EXPECT_EQ(support(logits, {.top_p = 0}), (std::set<int>{3}));
  EXPECT_EQ(support(logits, {.top_p = 0.39F}), (std::set<int>{3}));
  EXPECT_EQ(support(logits, {.top_p = 0.41F}), (std::set<int>{2, 3}));
  EXPECT_EQ(support(logits, {.top_p = 0.69F}), (std::set<int>{2, 3}));
  EXPECT_EQ(support(logits, {.top_p = 0.71F}), (std::set<int>{1, 2, 3}));
  EXPECT_EQ(support(logits, {.top_p = 0.91F}), (std::set<int>{0, 1, 2, 3}));
  EXPECT_EQ(support(logits, {.top_p = 1}), (std::set<int>{0, 1, 2, 3}));
  // Equal weights: three of four hold exactly 0.75.
  EXPECT_EQ(support({2, 2, 2, 2}, {.top_p = 0.75F}), (std::set<int>{0, 1, 2}));
  EXPECT_EQ(support({2, 2, 2, 2}, {.top_p = 0.76F}), (std::set<int>{0, 1, 2, 3}));
}

TEST(Sampler, TopPLooksAtTheMassThatTopKLeft) {
  // After top_k 2 the masses are 4/7 and 3/7: 0.5 of them is one token, of the whole it would be two.
  EXPECT_EQ(support(log_of({0.1, 0.2, 0.3, 0.4}), {.top_p = 0.5F, .top_k = 2}), (std::set<int>{3}));
}

TEST(Sampler, MinPIsRelativeToTheMostProbable) {
  const Logits logits = log_of({0.1, 0.2, 0.3, 0.4});
  EXPECT_EQ(support(logits, {.min_p = 0.74F}), (std::set<int>{2, 3}));
  EXPECT_EQ(support(logits, {.min_p = 0.76F}), (std::set<int>{3}));
  EXPECT_EQ(support(logits, {.min_p = 1}), (std::set<int>{3}));
  EXPECT_EQ(support(logits, {.min_p = 0.24F}), (std::set<int>{0, 1, 2, 3}));
}

TEST(Sampler, TemperatureComesBeforeTheFilters) {
  // At temperature 0.5 the masses are squared: 0.01, 0.04, 0.09, 0.16 of 0.3, so two tokens hold 0.83.
  EXPECT_EQ(support(log_of({0.1, 0.2, 0.3, 0.4}), {.temperature = 0.5F, .top_p = 0.8F}), (std::set<int>{2, 3}));
}

// The seed project accumulated top-p over unsorted probabilities, which kept low ids instead of likely ones.
TEST(Sampler, TopPDoesNotFavourLowIds) {
  EXPECT_EQ(support(log_of({0.05, 0.05, 0.05, 0.05, 0.8}), {.top_p = 0.15F}), (std::set<int>{4}));
}

// The seed project seeded its generator anew for every token, so one seed gave the same draw at each position.
TEST(Sampler, OneSeedDrawsAnewAtEveryPosition) {
  const Logits flat(50, 1.0F);
  std::set<int> tokens;
  for (std::int64_t position = 0; position < 64; ++position) tokens.insert(token(flat, {.seed = 7, .position = position}));
  EXPECT_GT(tokens.size(), 25U);  // 50 * (1 - 0.98^64) = 36 are expected
}

TEST(Sampler, EqualRowsGiveEqualTokensWhateverCameBefore) {
  Sampler sampler(100, 100);
  const auto generated = ids({1, 2, 3, 3});
  SamplingRow row = {
      .temperature = 1.5F, .top_p = 0.9F, .presence_penalty = 1, .repetition_penalty = 1.3F, .seed = 9, .position = 4};
  row.generated = generated;
  const auto logits_of = [](int salt) {
    Logits logits(100);
    for (std::size_t i = 0; i < 100; ++i) logits[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(salt)) % 11);
    return logits;
  };
  auto logits = logits_of(0);
  const auto alone = sampler.sample(logits, row).token;
  for (int salt = 1; salt < 50; ++salt) {
    logits = logits_of(salt);
    SamplingRow other = row;
    other.position = salt;
    other.top_k = salt;
    (void)sampler.sample(logits, other);
    logits = logits_of(0);
    ASSERT_EQ(sampler.sample(logits, row).token, alone);
  }
}

}  // namespace
}  // namespace mie
