// Log-probabilities, broken input and extreme parameters.
#include "core/base/ensure.h"
#include "models/sampling/sampler.h"
#include "tests/fakes/allocation_meter.h"
#include "tests/models/sampling_shorthand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace mie {
namespace {

using namespace test;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Sampler, LogprobsAreOfTheRawLogits) {
  const auto generated = ids({3});
  const std::vector<LogitBias> bias = {{TokenId(3), -100}};
  SamplingRow row = {.temperature = 0, .frequency_penalty = 2, .n_top_logprobs = 2};
  row.generated = generated;
  row.logit_bias = bias;
  const auto sampled = sample(log_of({0.1, 0.2, 0.3, 0.4}), row);
  EXPECT_EQ(sampled.token, TokenId(2));
  EXPECT_NEAR(sampled.logprob, std::log(0.3), 1e-6);
  ASSERT_EQ(sampled.top.size(), 2U);
  EXPECT_EQ(sampled.top[0].token, TokenId(3));
  EXPECT_NEAR(sampled.top[0].logprob, std::log(0.4), 1e-6);
  EXPECT_EQ(sampled.top[1].token, TokenId(2));
  EXPECT_EQ(sampled.top[1].logprob, sampled.logprob);
}

TEST(Sampler, TopLogprobsAreBestFirstWithTiesById) {
  SamplingRow row = kGreedy;
  row.n_top_logprobs = 4;
  const auto sampled = sample({1, 2, -kInf, 2, 1}, row);
  ASSERT_EQ(sampled.top.size(), 4U);
  EXPECT_EQ(sampled.top[0].token, TokenId(1));
  EXPECT_EQ(sampled.top[1].token, TokenId(3));
  EXPECT_EQ(sampled.top[2].token, TokenId(0));
  EXPECT_EQ(sampled.top[3].token, TokenId(4));
  row.n_top_logprobs = 20;
  EXPECT_EQ(sample({1, 2, -kInf, 2, 1}, row).top.size(), 5U);
  EXPECT_EQ(sample({1, 2, -kInf, 2, 1}, row).top[4].logprob, -kInf);
  row.n_top_logprobs = 0;
  EXPECT_TRUE(sample({1, 2}, row).top.empty());
  EXPECT_NEAR(sample({1, 2}, row).logprob, -0.313262, 1e-6);  // -log(1 + e^-1)
  EXPECT_EQ(sample({1, 2}, kGreedy).logprob, 0);
}

TEST(Sampler, BrokenLogitsAreAnErrorOfTheStep) {
  for (const float broken : {kNan, -kNan, kInf}) {
    EXPECT_THROW(sample({0, broken, 1}, kGreedy), ModelStepError);
    EXPECT_THROW(sample({0, 1, broken}, {}), ModelStepError);
  }
  EXPECT_THROW(sample({-kInf, -kInf}, kGreedy), ModelStepError);
  EXPECT_THROW(sample({-kInf, -kInf}, {}), ModelStepError);
  EXPECT_THROW(sample({-kInf, -kInf}, {.n_top_logprobs = 1}), ModelStepError);
  const auto banned = ids({0, 1});
  SamplingRow row;
  row.banned = banned;
  EXPECT_THROW(sample({0, 1}, row), ModelStepError);
  row.temperature = 0;
  EXPECT_THROW(sample({0, 1}, row), ModelStepError);
}

TEST(Sampler, ExtremePenaltiesStayFinite) {
  const auto prompt = ids({0, 1});
  const auto generated = ids({0, 0, 2});
  for (const float repetition : {1e-45F, 1e-40F, 0.0F, 10.0F}) {
    for (const float logit : {kHuge, -kHuge, 1.0F, 0.0F, -1.0F}) {
      SamplingRow row = {.presence_penalty = -2, .frequency_penalty = 2, .repetition_penalty = repetition, .n_top_logprobs = 0};
      row.prompt = prompt;
      row.generated = generated;
      EXPECT_NO_THROW(sample({logit, logit, logit, 0}, row)) << repetition << " " << logit;
    }
  }
  // A ban in the model's own logits stays one.
  SamplingRow row = {.repetition_penalty = 2};
  row.prompt = prompt;
  EXPECT_EQ(support({-kInf, 1, 1}, row), (std::set<int>{1, 2}));
}

TEST(Sampler, IdsOutsideTheVocabularyAreABug) {
  for (const int id : {-1, 2}) {
    const auto tokens = ids({id});
    const std::vector<LogitBias> bias = {{TokenId(id), 1}};
    SamplingRow row;
    row.banned = tokens;
    EXPECT_THROW(sample({0, 1}, row), InvariantError);
    row = {.repetition_penalty = 2};
    row.prompt = tokens;
    EXPECT_THROW(sample({0, 1}, row), InvariantError);
    row = {.presence_penalty = 2};
    row.generated = tokens;
    EXPECT_THROW(sample({0, 1}, row), InvariantError);
    row = {};
    row.logit_bias = bias;
    EXPECT_THROW(sample({0, 1}, row), InvariantError);
  }
  EXPECT_THROW(Sampler(4, 5), InvariantError);
  EXPECT_THROW(Sampler(4, 0), InvariantError);
}

TEST(Sampler, SteadyStateAllocatesNothing) {
  Sampler sampler(5000, 4990);
  Logits logits(5000);
  const auto generated = ids({1, 2, 3, 3});
  SamplingRow row = {
      .temperature = 1.2F, .top_p = 0.95F, .min_p = 0.001F, .top_k = 4000, .presence_penalty = 1, .repetition_penalty = 1.1F};
  row.generated = generated;
  row.n_top_logprobs = 0;
  std::size_t allocated = 0;
  for (row.position = 0; row.position < 20; ++row.position) {
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>((i * 7919) % 101) / 10;
    const auto before = test::bytes_allocated_by_this_thread();
    (void)sampler.sample(logits, row);
    if (row.position > 0) allocated += test::bytes_allocated_by_this_thread() - before;
  }
  EXPECT_EQ(allocated, 0U);
}

}  // namespace
}  // namespace mie
