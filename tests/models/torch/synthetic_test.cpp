// The torch backend on small random decoders: against an fp64 reference in plain loops, and when a step fails.
#include "core/base/ensure.h"
#include "models/torch/open_torch.h"
#include "tests/fakes/naive_decoder.h"
#include "tests/fakes/run_step.h"
#include "tests/fakes/step_driver.h"
#include "tests/fakes/synthetic_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mie::test {
namespace {

TorchOptions options(TorchDtype dtype, int block_size) {
  return {.dtype = dtype, .n_threads = 1, .n_blocks = 64, .block_size = block_size};
}

std::unique_ptr<ModelRunner> open(const SyntheticModel& model, const TorchOptions& wanted) {
  auto runner = open_torch_runner({}, model.plan(), model, wanted, {});
  if (!runner) throw std::runtime_error(runner.error().message);
  return std::move(*runner);
}

std::vector<TokenId> prompt(std::initializer_list<int> ids) {
  std::vector<TokenId> tokens;
  for (const int id : ids) tokens.emplace_back(id);
  return tokens;
}

// Three lengths, of which two share an attention group while decoding and the longest spans several pages.
const std::vector<std::vector<TokenId>> kPrompts{prompt({3}), prompt({11, 4, 4, 38, 0}),
                                                 prompt({1, 2, 3, 5, 8, 13, 21, 34, 39, 7, 6})};

// The largest distance of any log-probability of any sampled step from the reference's.
double largest_error(const SyntheticModel& model, TorchDtype dtype, const Arrangement& arrangement) {
  const auto runner = open(model, options(dtype, arrangement.block_size));
  const auto generated = generate(*runner, kPrompts, 8, arrangement, model.spec().n_vocab);
  double worst = 0;
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    std::vector<TokenId> tokens = kPrompts[i];
    for (const Sampled& sampled : generated[i]) {
      const auto expected = naive_logprobs(model, tokens);
      EXPECT_EQ(sampled.top.size(), expected.size());
      for (const TopLogprob& top : sampled.top) {
        worst = std::max(worst, std::abs(double{top.logprob} - expected[static_cast<std::size_t>(top.token.value())]));
      }
      tokens.push_back(sampled.token);
    }
  }
  return worst;
}

struct Variant {
  const char* name;
  void (*change)(ModelSpec&);
};

class TorchSynthetic : public testing::TestWithParam<Variant> {};

TEST_P(TorchSynthetic, LogprobsEqualThePlainReferenceInEveryArrangement) {
  ModelSpec spec = small_spec();
  GetParam().change(spec);
  const SyntheticModel model(spec, 7);
  const Arrangement arrangements[]{{.n_together = 1, .block_size = 4},
                                   {.n_together = 3, .block_size = 4},
                                   {.n_together = 3, .chunk = 2, .block_size = 4},
                                   {.n_together = 3, .block_size = 4, .preempt_at = 3},
                                   {.n_together = 3, .block_size = 20}};
  for (const Arrangement& arrangement : arrangements) {
    EXPECT_LT(largest_error(model, TorchDtype::kFloat32, arrangement), 2e-5)
        << arrangement.n_together << " together, chunks of " << arrangement.chunk << ", pages of " << arrangement.block_size;
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, TorchSynthetic,
                         testing::Values(Variant{"HalfPairing", [](ModelSpec&) {}},
                                         Variant{"InterleavedPairing",
                                                 [](ModelSpec& s) { s.rope.pairing = RopePairing::kInterleaved; }},
                                         Variant{"PartialRotary", [](ModelSpec& s) { s.rope.n_rotary_dims = 4; }},
                                         Variant{"PartialInterleaved",
                                                 [](ModelSpec& s) {
                                                   s.rope.n_rotary_dims = 6;
                                                   s.rope.pairing = RopePairing::kInterleaved;
                                                 }},
                                         Variant{"OneKvHead", [](ModelSpec& s) { s.n_kv_heads = 1; }},
                                         Variant{"AsManyKvHeads", [](ModelSpec& s) { s.n_kv_heads = 4; }},
                                         Variant{"Gelu", [](ModelSpec& s) { s.activation = Activation::kGeluTanh; }},
                                         Variant{"Untied", [](ModelSpec& s) { s.tied_embeddings = false; }}),
                         [](const auto& param) { return std::string(param.param.name); });

// bf16 keeps 8 bits of each factor, so logits of size 1 to 10 move by some hundredths; a wrong formula moves them by ones.
TEST(TorchSynthetic, Bf16StaysNearTheReference) {
  const SyntheticModel model(small_spec(), 7);
  const double error = largest_error(model, TorchDtype::kBFloat16, {.n_together = 3, .block_size = 4});
  EXPECT_LT(error, 0.25);
  EXPECT_GT(error, 1e-4) << "that is fp32 precision: bf16 was not used";
}

// A prefill longer than the rows that attend at once (256) equals the same prompt in small chunks.
TEST(TorchSynthetic, LongPrefillEqualsTheReference) {
  ModelSpec spec = small_spec();
  spec.context_length = 640;
  const SyntheticModel model(spec, 9);
  std::vector<TokenId> tokens(600);
  for (int i = 0; i < 600; ++i) tokens[static_cast<std::size_t>(i)] = TokenId(i * i % spec.n_vocab);
  const auto runner = open(model, options(TorchDtype::kFloat32, 16));
  const auto sampled =
      generate(*runner, std::vector<std::vector<TokenId>>{tokens}, 1, {.block_size = 16}, spec.n_vocab).front().front();
  const auto expected = naive_logprobs(model, tokens);
  for (const TopLogprob& top : sampled.top) {
    EXPECT_NEAR(top.logprob, expected[static_cast<std::size_t>(top.token.value())], 2e-5);
  }
}

StepBatch one_token(std::int32_t token, std::int32_t block) {
  return {
      .tokens = {token}, .positions = {0}, .row_starts = {0, 1}, .block_tables = {block}, .max_blocks = 1, .logits_rows = {0}};
}

std::vector<SamplingRow> greedy(std::size_t n_rows) {
  std::vector<SamplingRow> rows(n_rows);
  for (SamplingRow& row : rows) row.temperature = 0;
  return rows;
}

TEST(TorchFailure, NonFiniteWeightsThrowAModelStepErrorAcrossTheLibrary) {
  SyntheticModel model(small_spec(), 7);
  model.numbers(TensorRole::kDown, 1).front() = std::numeric_limits<float>::quiet_NaN();
  const auto runner = open(model, options(TorchDtype::kFloat32, 4));
  EXPECT_THROW(run_step(*runner, one_token(3, 0), greedy(1)), ModelStepError);
}

TEST(TorchFailure, MalformedBatchThrowsAnInvariantErrorAcrossTheLibrary) {
  const SyntheticModel model(small_spec(), 7);
  const auto runner = open(model, options(TorchDtype::kFloat32, 4));
  EXPECT_THROW(run_step(*runner, one_token(40, 0), greedy(1)), InvariantError) << "token outside the vocabulary";
  EXPECT_THROW(run_step(*runner, one_token(3, 64), greedy(1)), InvariantError) << "block outside the cache";
  EXPECT_THROW(run_step(*runner, one_token(3, -1), greedy(1)), InvariantError) << "position without a block";
  EXPECT_THROW(run_step(*runner, one_token(3, 0), {}), InvariantError) << "no sampling row";
  StepBatch far = one_token(3, 0);
  far.positions = {4};
  EXPECT_THROW(run_step(*runner, far, greedy(1)), InvariantError) << "position past its block table";
}

// Slot 0 of block 0 serves as padding when decodes of unequal length attend together: what a failed step left there must not
// reach them.
TEST(TorchFailure, FailedStepLeavesNothingThatLaterStepsMeet) {
  ModelSpec spec = small_spec();
  spec.tied_embeddings = false;  // the poison stays out of the logits of sound rows
  SyntheticModel model(spec, 7);
  const auto hidden = static_cast<std::size_t>(model.spec().hidden);
  constexpr std::int32_t kPoison = 20;
  model.numbers(TensorRole::kEmbedding, -1)[kPoison * hidden] = std::numeric_limits<float>::infinity();
  const auto runner = open(model, options(TorchDtype::kFloat32, 4));
  EXPECT_THROW(run_step(*runner, one_token(kPoison, 0), greedy(1)), ModelStepError);

  StepBatch pair{.tokens = {5, 6, 7, 8, 9},
                 .positions = {0, 1, 2, 0, 1},
                 .row_starts = {0, 3, 5},
                 .block_tables = {1, 2},
                 .max_blocks = 1,
                 .copies = {},
                 .logits_rows = {}};
  EXPECT_NO_THROW(run_step(*runner, pair, {}));
  pair = {.tokens = {10, 11},
          .positions = {3, 2},
          .row_starts = {0, 1, 2},
          .block_tables = {1, 2},
          .max_blocks = 1,
          .copies = {},
          .logits_rows = {0, 1}};
  EXPECT_NO_THROW(run_step(*runner, pair, greedy(2)));
}

}  // namespace
}  // namespace mie::test
