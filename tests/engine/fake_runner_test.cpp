// The fake is the oracle of the other tests, so it must notice what they rely on it to notice.
#include "models/fake_runner.h"

#include "core/base/ensure.h"
#include "tests/fakes/run_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace mie::test {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::Lt;

const FakeOptions kModel{.n_vocab = 1000};

std::vector<TokenId> prompt(int n) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < n; ++i) tokens.emplace_back(37 * i % 1000);
  return tokens;
}

// One sequence, its rows from `first` on, in blocks of 4.
StepBatch batch_of(const std::vector<TokenId>& tokens, int first, std::vector<std::int32_t> table) {
  StepBatch batch;
  for (int i = first; i < static_cast<int>(tokens.size()); ++i) {
    batch.tokens.push_back(tokens[static_cast<std::size_t>(i)].value());
    batch.positions.push_back(i);
  }
  batch.row_starts = {0, batch.n_tokens()};
  batch.max_blocks = static_cast<std::int32_t>(table.size());
  batch.block_tables = std::move(table);
  batch.logits_rows = {batch.n_tokens() - 1};
  return batch;
}

const std::vector<SamplingRow> kGreedy{SamplingRow{.temperature = 0}};

TokenId right_after(const std::vector<TokenId>& tokens) { return FakeRunner::expected_tokens(kModel, tokens, 1).front(); }

TEST(FakeRunner, PrefillAndDecodeThroughAnyTableGiveTheExpectedTokens) {
  FakeRunner runner(kModel, 10, 4);
  std::vector<TokenId> tokens = prompt(6);
  const auto right = FakeRunner::expected_tokens(kModel, tokens, 3);
  tokens.push_back(run_step(runner, batch_of(tokens, 0, {7, 2}), kGreedy).front().token);
  tokens.push_back(run_step(runner, batch_of(tokens, 6, {7, 2}), kGreedy).front().token);
  tokens.push_back(run_step(runner, batch_of(tokens, 7, {7, 2, -1}), kGreedy).front().token);
  EXPECT_EQ(std::vector<TokenId>(tokens.begin() + 6, tokens.end()), right);
}

TEST(FakeRunner, NoticesAWrongBlockAWrongPositionAndABlockInTwoHands) {
  std::vector<TokenId> tokens = prompt(6);
  FakeRunner runner(kModel, 10, 4);
  tokens.push_back(run_step(runner, batch_of(tokens, 0, {7, 2}), kGreedy).front().token);
  EXPECT_NE(run_step(runner, batch_of(tokens, 6, {2, 7}), kGreedy).front().token, right_after(tokens));  // swapped
  EXPECT_NE(run_step(runner, batch_of(tokens, 6, {3, 2}), kGreedy).front().token, right_after(tokens));  // never written
  StepBatch shifted = batch_of(tokens, 6, {7, 2});
  shifted.positions = {5};
  EXPECT_NE(run_step(runner, shifted, kGreedy).front().token, right_after(tokens));

  FakeRunner shared(kModel, 10, 4);
  run_step(shared, batch_of(tokens, 0, {7, 2}), kGreedy);
  run_step(shared, batch_of({TokenId(900), TokenId(901)}, 0, {7}), kGreedy);  // another sequence in block 7
  tokens.push_back(TokenId(1));
  EXPECT_NE(run_step(shared, batch_of(tokens, 7, {7, 2}), kGreedy).front().token, right_after(tokens));
}

TEST(FakeRunner, RefusesABatchThatPointsOutsideItsCache) {
  FakeRunner runner(kModel, 10, 4);
  EXPECT_THROW(run_step(runner, batch_of(prompt(6), 0, {7, 10}), kGreedy), InvariantError);
  EXPECT_THROW(run_step(runner, batch_of(prompt(6), 0, {7, -1}), kGreedy), InvariantError);
  EXPECT_THROW(run_step(runner, batch_of(prompt(9), 0, {7, 2}), kGreedy), InvariantError);
  EXPECT_THROW(run_step(runner, batch_of(prompt(6), 0, {7, 2}), {}), InvariantError);
}

TEST(FakeRunner, KeepsBannedAndForcedTokens) {
  const auto tokens = prompt(5);
  const TokenId natural = right_after(tokens);
  const TokenId banned[] = {natural};
  const LogitBias forbid[] = {{natural, -100}};
  const LogitBias force[] = {{TokenId(123), 100}};
  EXPECT_NE(FakeRunner::expected_tokens(kModel, tokens, 1, {.temperature = 0, .banned = banned}).front(), natural);
  EXPECT_NE(FakeRunner::expected_tokens(kModel, tokens, 1, {.temperature = 0, .logit_bias = forbid}).front(), natural);
  EXPECT_EQ(FakeRunner::expected_tokens(kModel, tokens, 1, {.temperature = 0, .logit_bias = force}).front(), TokenId(123));
}

TEST(FakeRunner, TheSeedMattersOnlyWithATemperature) {
  const auto tokens = prompt(5);
  const auto sampled = [&](float temperature, std::uint64_t seed) {
    return FakeRunner::expected_tokens(kModel, tokens, 8, {.temperature = temperature, .seed = seed});
  };
  EXPECT_EQ(sampled(0, 1), sampled(0, 2));
  EXPECT_NE(sampled(1, 1), sampled(1, 2));
  EXPECT_EQ(sampled(1, 1), sampled(1, 1));
}

// 20 000 draws at 100 in 1000: the mean is 2 000, the standard deviation 42.
TEST(FakeRunner, EosComesWithItsChance) {
  FakeOptions model{.n_vocab = 50, .eos = TokenId(9), .eos_per_mille = 100};
  const auto tokens = FakeRunner::expected_tokens(model, prompt(3), 20'000);
  const auto n = std::count(tokens.begin(), tokens.end(), TokenId(9));
  EXPECT_THAT(n, ::testing::AllOf(Gt(1800), Lt(2200)));
  model.eos_per_mille = 0;
  const auto none = FakeRunner::expected_tokens(model, prompt(3), 20'000);
  EXPECT_EQ(std::count(none.begin(), none.end(), TokenId(9)), 0);
}

TEST(FakeRunner, TopLogprobsAreDistinctBestFirstAndBeginWithTheToken) {
  FakeRunner runner(kModel, 10, 4);
  const std::vector<SamplingRow> rows{SamplingRow{.temperature = 0, .n_top_logprobs = 3}};
  const Sampled sampled = run_step(runner, batch_of(prompt(6), 0, {7, 2}), rows).front();
  ASSERT_EQ(sampled.top.size(), 3U);
  EXPECT_EQ(sampled.top[0].token, sampled.token);
  EXPECT_EQ(sampled.top[0].logprob, sampled.logprob);
  EXPECT_GT(sampled.top[0].logprob, sampled.top[1].logprob);
  EXPECT_NE(sampled.top[1].token, sampled.top[2].token);
}

TEST(FakeRunner, SpendsTheTimeOfItsCostModel) {
  using namespace std::chrono_literals;
  std::vector<std::chrono::nanoseconds> spent;
  FakeRunner runner({.n_vocab = 1000,
                     .step_time = 200us,
                     .token_time = 5us,
                     .context_time = 10ns,
                     .spend = [&](std::chrono::nanoseconds cost) { spent.push_back(cost); }},
                    10, 4);
  run_step(runner, batch_of(prompt(6), 0, {7, 2}), kGreedy);
  run_step(runner, batch_of(prompt(7), 6, {7, 2}), kGreedy);
  EXPECT_THAT(spent, ::testing::ElementsAre(230us + 50ns, 205us + 60ns));
}

TEST(FakeSpec, ReadsEveryKey) {
  const auto options = parse_fake_spec("fake:vocab=512,step_us=200,token_us=5,context_ns=7,eos=2,eos_per_mille=10");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->n_vocab, 512);
  EXPECT_EQ(options->step_time, std::chrono::microseconds(200));
  EXPECT_EQ(options->token_time, std::chrono::microseconds(5));
  EXPECT_EQ(options->context_time, std::chrono::nanoseconds(7));
  EXPECT_EQ(options->eos, TokenId(2));
  EXPECT_EQ(options->eos_per_mille, 10);
  EXPECT_EQ(parse_fake_spec("fake:")->n_vocab, 49152);
}

TEST(FakeSpec, NamesWhatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"gguf:x", "does not begin with fake:"},  {"fake:voc=3", "unknown key voc"},
      {"fake:vocab", "vocab must be"},          {"fake:vocab=", "vocab must be"},
      {"fake:vocab=1", "between 2 and"},        {"fake:vocab=5x", "vocab must be"},
      {"fake:vocab=99999999999", "vocab must"}, {"fake:step_us=-1", "step_us must be"},
      {"fake:vocab=5,vocab=6", "given twice"},  {"fake:vocab=5,eos=5", "outside the vocabulary"},
      {"fake:vocab=5,,eos=1", "unknown key"},   {"fake:eos_per_mille=1001", "between 0 and 1000"}};
  for (const auto& [spec, message] : wrong) {
    const auto options = parse_fake_spec(spec);
    ASSERT_FALSE(options) << spec;
    EXPECT_EQ(options.error().code, Errc::kConfig);
    EXPECT_THAT(options.error().message, ::testing::HasSubstr(message)) << spec;
  }
}

}  // namespace
}  // namespace mie::test
