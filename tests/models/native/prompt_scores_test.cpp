// Log-probabilities of prompts on the native backend: close to an fp64 reference, and bit-equal however few rows of logits are
// held, whatever the chunks and the company.
#include "models/native/native_runner.h"
#include "models/native/thread_pool.h"
#include "tests/fakes/naive_decoder.h"
#include "tests/fakes/run_step.h"
#include "tests/fakes/step_driver.h"
#include "tests/fakes/synthetic_model.h"
#include "tests/models/native/kernel_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mie::native::testing {
namespace {

using test::Arrangement;
using test::SyntheticModel;

constexpr int kVocab = 70;  // no multiple of a panel
constexpr int kContext = 320;
constexpr int kPage = 16;

ModelSpec spec() {
  ModelSpec spec = test::small_spec();
  spec.hidden = 64;
  spec.head_dim = spec.rope.n_rotary_dims = 32;
  spec.ffn_hidden = 96;
  spec.n_vocab = kVocab;
  spec.context_length = kContext;
  return spec;
}

NativeOptions options(Isa isa, int max_logits) {
  return {.n_blocks = 4 * (kContext / kPage) + 1,
          .block_size = kPage,
          .max_rows = 4 * kContext,
          .max_logits = max_logits,
          .max_positions = kContext,
          .n_tokens = kVocab,
          .mode = ComputeMode::kW4A8,
          .isa = isa,
          .n_threads = 2,
          .cores = {}};
}

std::unique_ptr<ModelRunner> open(const SyntheticModel& model, const NativeOptions& wanted) {
  auto runner = make_native_runner(model.plan(), model, wanted, [](std::int64_t, std::int64_t) {});
  if (!runner) throw std::runtime_error(runner.error().message);
  return std::move(*runner);
}

std::vector<std::vector<TokenId>> prompts(std::initializer_list<int> lengths) {
  std::mt19937 random(9);
  std::vector<std::vector<TokenId>> all;
  for (const int length : lengths) {
    auto& prompt = all.emplace_back();
    for (int i = 0; i < length; ++i) prompt.emplace_back(static_cast<std::int32_t>(random() % kVocab));
  }
  return all;
}

// Everything that is told of every prompt, as numbers whose bits are compared.
std::vector<float> bits_of(const std::vector<std::vector<Sampled>>& scores) {
  std::vector<float> all;
  for (const auto& prompt : scores) {
    for (const Sampled& scored : prompt) {
      all.insert(all.end(), {static_cast<float>(scored.token.value()), scored.logprob, static_cast<float>(scored.rank)});
      for (const TopLogprob& top : scored.top) all.insert(all.end(), {static_cast<float>(top.token.value()), top.logprob});
    }
  }
  return all;
}

class PromptScores : public ::testing::TestWithParam<Isa> {
 protected:
  std::vector<float> scores(std::span<const std::vector<TokenId>> of, Arrangement arrangement, int max_logits = 8) const {
    arrangement.block_size = kPage;
    return bits_of(test::score(*open(model, options(GetParam(), max_logits)), of, arrangement, 5));
  }
  const bool brief = GetParam() == Isa::kScalar;  // a hundred times slower
  const SyntheticModel model{spec(), 3};
  const std::vector<std::vector<TokenId>> all = brief ? prompts({1, 2, 40}) : prompts({1, 2, 33, 300, 64, 17, 130});
};

TEST_P(PromptScores, AreCloseToAnFp64Reference) {
  const auto of = prompts({brief ? 24 : 60});
  const auto scored = test::score(*open(model, options(GetParam(), 8)), of, {.chunk = 16, .block_size = kPage}, kVocab);
  ASSERT_EQ(scored.front().size(), of.front().size() - 1);
  double total = 0;
  for (std::size_t i = 0; i < scored.front().size(); ++i) {
    const Sampled& one = scored.front()[i];
    EXPECT_EQ(one.token, of.front()[i + 1]);
    const auto expected = test::naive_logprobs(model, std::span(of.front()).first(i + 1));
    const double error = std::fabs(double{one.logprob} - expected[static_cast<std::size_t>(one.token.value())]);
    EXPECT_LT(error, 0.6) << "token " << i + 1;
    total += error;
    ASSERT_EQ(one.top.size(), std::size_t{kVocab});
    EXPECT_EQ(one.top[static_cast<std::size_t>(one.rank - 1)].token, one.token);
    EXPECT_EQ(one.top[static_cast<std::size_t>(one.rank - 1)].logprob, one.logprob);
  }
  // weights, activations, K and V each carry 8 bits; a row that tells of another position gives errors above 1
  EXPECT_LT(total / static_cast<double>(scored.front().size()), 0.15);
}

TEST_P(PromptScores, BitsDoNotDependOnChunksOrCompany) {
  const auto alone = scores(all, {});
  for (const int chunk : brief ? std::vector{16} : std::vector{16, 64, 256, 7}) {
    EXPECT_EQ(scores(all, {.chunk = chunk}), alone) << "chunks of " << chunk;
    EXPECT_EQ(scores(all, {.n_together = 4, .chunk = chunk}), alone) << "four together, chunks of " << chunk;
  }
}

TEST_P(PromptScores, BitsDoNotDependOnHowManyRowsOfLogitsAreHeld) {
  const auto plenty = scores(all, {.n_together = 2}, 2 * kContext);
  for (const int max_logits : brief ? std::vector{3} : std::vector{1, 3, 8, 64})
    EXPECT_EQ(scores(all, {.n_together = 2}, max_logits), plenty) << max_logits << " rows";
}

// A sequence that decodes beside a prompt whose rows are more than the logits that are held, before or after it.
TEST_P(PromptScores, LeaveTheTokensOfOthersAlone) {
  const auto of = prompts({40, 9});
  const auto runner = open(model, options(GetParam(), 4));
  const SamplingRow greedy{.temperature = 0};
  const SamplingRow told{.temperature = 0, .n_top_logprobs = kVocab};
  StepBatch alone{
      .tokens = {}, .positions = {}, .row_starts = {0, 9}, .block_tables = {3}, .max_blocks = 1, .logits_rows = {8}};
  for (int i = 0; i < 9; ++i) {
    alone.tokens.push_back(of[1][static_cast<std::size_t>(i)].value());
    alone.positions.push_back(i);
  }
  const TokenId plain = test::run_step(*runner, alone, {&greedy, 1}).front().token;
  const auto expected = test::run_step(*runner, alone, {&told, 1});

  StepBatch both{.tokens = {},
                 .positions = {},
                 .row_starts = {0, 40, 49},
                 .block_tables = {0, 1, 2, 3, -1, -1},
                 .max_blocks = 3,
                 .copies = {},
                 .logits_rows = {}};
  std::vector<SamplingRow> rows;
  for (int i = 0; i < 40; ++i) {
    both.tokens.push_back(of[0][static_cast<std::size_t>(i)].value());
    both.positions.push_back(i);
    if (i == 39) break;
    both.logits_rows.push_back(i);
    rows.push_back({.n_top_logprobs = 2, .score = of[0][static_cast<std::size_t>(i) + 1]});
  }
  both.tokens.insert(both.tokens.end(), alone.tokens.begin(), alone.tokens.end());
  both.positions.insert(both.positions.end(), alone.positions.begin(), alone.positions.end());
  both.logits_rows.push_back(48);
  for (const SamplingRow& last : {greedy, told}) {
    rows.push_back(last);
    const auto sampled = test::run_step(*runner, both, rows);
    EXPECT_EQ(sampled.back().token, plain);
    if (last.n_top_logprobs > 0) EXPECT_EQ(bits_of({{sampled.back()}}), bits_of({expected}));
    rows.pop_back();
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, PromptScores, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace mie::native::testing
