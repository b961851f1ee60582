// Rows whose token is known: what the sampler tells of it, against the definitions in double precision.
#include "core/base/ensure.h"
#include "tests/models/sampling_shorthand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace mie::test {
namespace {

using ::testing::ElementsAre;

SamplingRow scoring(int token, int n_top = 0) { return {.n_top_logprobs = n_top, .score = TokenId(token)}; }

double reference_logprob(const Logits& logits, int token) {
  double total = 0;
  for (const float logit : logits) total += std::exp(double{logit});
  return double{logits[static_cast<std::size_t>(token)]} - std::log(total);
}

// By sorting all of them.
int reference_rank(const Logits& logits, int n_tokens, int token) {
  std::vector<std::pair<float, int>> order;  // of -logit, so ascending
  for (int id = 0; id < n_tokens; ++id) order.emplace_back(-logits[static_cast<std::size_t>(id)], id);
  std::sort(order.begin(), order.end());
  const auto own = std::pair(-logits[static_cast<std::size_t>(token)], token);
  return 1 + static_cast<int>(std::find(order.begin(), order.end(), own) - order.begin());
}

TEST(SamplerScore, LogprobAndRankAreTheDefinitions) {
  std::mt19937 random(3);
  for (const int n_vocab : {1, 2, 130, 3001}) {
    Sampler sampler(n_vocab, n_vocab);
    for (int round = 0; round < 20; ++round) {
      Logits logits;
      for (int id = 0; id < n_vocab; ++id) logits.push_back(static_cast<float>(static_cast<int>(random() % 200) - 100) / 10);
      const int token = static_cast<int>(random() % static_cast<unsigned>(n_vocab));
      Logits given = logits;
      const Sampled scored = sampler.sample(given, scoring(token));
      EXPECT_EQ(given, logits) << "a row that scores leaves its logits";
      EXPECT_EQ(scored.token, TokenId(token));
      EXPECT_NEAR(scored.logprob, reference_logprob(logits, token), 1e-4);
      EXPECT_EQ(scored.rank, reference_rank(logits, n_vocab, token)) << n_vocab << ", token " << token;
      EXPECT_TRUE(scored.top.empty());
    }
  }
}

TEST(SamplerScore, TheBestStandBesideIt) {
  const Sampled scored = sample(log_of({0.1, 0.4, 0.05, 0.3, 0.15}), scoring(2, 3));
  EXPECT_NEAR(scored.logprob, std::log(0.05), 1e-6);
  EXPECT_EQ(scored.rank, 5);
  ASSERT_EQ(scored.top.size(), 3U);
  EXPECT_THAT((std::vector{scored.top[0].token, scored.top[1].token, scored.top[2].token}),
              ElementsAre(TokenId(1), TokenId(3), TokenId(4)));
  EXPECT_NEAR(scored.top[0].logprob, std::log(0.4), 1e-6);
}

TEST(SamplerScore, OfEqualsTheLowerIdRanksFirst) {
  const Logits logits = {1, 3, 3, 2, 3};
  EXPECT_EQ(sample(logits, scoring(1)).rank, 1);
  EXPECT_EQ(sample(logits, scoring(2)).rank, 2);
  EXPECT_EQ(sample(logits, scoring(4)).rank, 3);
  EXPECT_EQ(sample(logits, scoring(3)).rank, 4);
  EXPECT_EQ(sample(logits, scoring(0)).rank, 5);
}

TEST(SamplerScore, NoParameterChangesIt) {
  const Logits logits = {0.5F, 2, -1, 0.25F};
  const auto banned = ids({1});
  const LogitBias bias[] = {{TokenId(1), -100}, {TokenId(2), 50}};
  SamplingRow row = scoring(1, 2);
  const Sampled plain = sample(logits, row);
  row.temperature = 0.01F;
  row.top_k = 1;
  row.min_p = 1;
  row.frequency_penalty = 2;
  row.generated = banned;
  row.banned = banned;
  row.logit_bias = bias;
  const Sampled scored = sample(logits, row);
  EXPECT_EQ(scored.token, TokenId(1));
  EXPECT_EQ(scored.logprob, plain.logprob);
  EXPECT_EQ(scored.rank, 1);
  EXPECT_EQ(scored.top.at(1).logprob, plain.top.at(1).logprob);
}

// The token that would be drawn has the same bits either way.
TEST(SamplerScore, EqualsWhatSamplingTellsOfTheSameToken) {
  std::mt19937 random(8);
  std::normal_distribution<float> normal(0, 4);
  Logits logits;
  for (int id = 0; id < 1000; ++id) logits.push_back(normal(random));
  SamplingRow row{.n_top_logprobs = 5};
  for (row.position = 0; row.position < 50; ++row.position) {
    const Sampled drawn = sample(logits, row);
    const Sampled scored = sample(logits, scoring(drawn.token.value(), 5));
    EXPECT_EQ(scored.logprob, drawn.logprob);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(scored.top[i].logprob, drawn.top[i].logprob);
  }
}

TEST(SamplerScore, ATokenOfNoProbabilityIsMinusInfinityAndLast) {
  const Sampled scored = sample({0, -kInf, 1, 2}, scoring(1));
  EXPECT_EQ(scored.logprob, -kInf);
  EXPECT_EQ(scored.rank, 4);
}

TEST(SamplerScore, PaddingIsNeitherListedNorRanked) {
  Sampler sampler(4, 2);
  Logits logits = {1, 2, 9, 9};
  const Sampled scored = sampler.sample(logits, scoring(0, 4));
  EXPECT_EQ(scored.rank, 2);
  ASSERT_EQ(scored.top.size(), 2U);
  EXPECT_EQ(scored.top[0].token, TokenId(1));
  EXPECT_NEAR(scored.logprob, reference_logprob({1, 2, 9, 9}, 0), 1e-5) << "the mass of every logit counts";
}

TEST(SamplerScore, LogitsThatAreNotNumbersAreAFailedStep) {
  EXPECT_THROW((void)sample({0, std::nanf("")}, scoring(0)), ModelStepError);
  EXPECT_THROW((void)sample({0, kInf}, scoring(0)), ModelStepError);
  EXPECT_THROW((void)sample({-kInf, -kInf}, scoring(0)), ModelStepError);
}

TEST(SamplerScore, ATokenOutsideTheVocabularyIsABug) {
  EXPECT_THROW((void)sample({0, 1}, scoring(2)), InvariantError);
  EXPECT_THROW((void)sample({0, 1}, scoring(0, -1)), InvariantError);
}

}  // namespace
}  // namespace mie::test
