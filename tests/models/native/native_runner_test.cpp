// The native backend on small random decoders: close to an fp64 reference, and bit-equal in every arrangement.
#include "models/native/native_runner.h"

#include "core/base/ensure.h"
#include "models/native/thread_pool.h"
#include "tests/fakes/naive_decoder.h"
#include "tests/fakes/step_driver.h"
#include "tests/fakes/synthetic_model.h"
#include "tests/models/native/kernel_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mie::native::testing {
namespace {

using test::Arrangement;
using test::SyntheticModel;

ModelSpec native_spec() {
  ModelSpec spec = test::small_spec();
  spec.hidden = 64;
  spec.head_dim = 32;
  spec.ffn_hidden = 96;
  spec.n_vocab = 70;  // no multiple of a panel
  spec.context_length = 1200;
  spec.rope.n_rotary_dims = 32;
  return spec;
}

NativeOptions options(int block_size) {
  return {.n_blocks = 3 * (1200 / block_size + 1) + 1,
          .block_size = block_size,
          .max_rows = 1200,
          .max_logits = 8,
          .max_positions = 1200,
          .n_tokens = 70,
          .mode = ComputeMode::kW4A8,
          .isa = best_isa(),
          .n_threads = 2,
          .cores = {}};
}

std::unique_ptr<ModelRunner> open(const SyntheticModel& model, const NativeOptions& wanted) {
  auto runner = make_native_runner(model.plan(), model, wanted, [](std::int64_t, std::int64_t) {});
  if (!runner) throw std::runtime_error(runner.error().message);
  return std::move(*runner);
}

std::vector<std::vector<TokenId>> prompts(std::initializer_list<int> lengths) {
  std::mt19937 rng(9);
  std::vector<std::vector<TokenId>> all;
  for (const int length : lengths) {
    auto& prompt = all.emplace_back();
    for (int i = 0; i < length; ++i) prompt.emplace_back(static_cast<std::int32_t>(rng() % 70));
  }
  return all;
}

// Tokens and the bits of every log-probability of every step.
std::vector<float> bits_of(const std::vector<std::vector<Sampled>>& generated) {
  std::vector<float> all;
  for (const auto& sequence : generated) {
    for (const Sampled& sampled : sequence) {
      all.push_back(static_cast<float>(sampled.token.value()));
      for (const TopLogprob& top : sampled.top) all.push_back(top.logprob);
    }
  }
  return all;
}

std::vector<float> run(const SyntheticModel& model, const NativeOptions& wanted, std::span<const std::vector<TokenId>> of,
                       Arrangement arrangement, int n_new = 6) {
  arrangement.block_size = wanted.block_size;
  return bits_of(test::generate(*open(model, wanted), of, n_new, arrangement, 70));
}

TEST(NativeRunner, LogprobsAreCloseToAnFp64Reference) {
  for (const RopePairing pairing : {RopePairing::kHalf, RopePairing::kInterleaved}) {
    for (const bool tied : {true, false}) {
      ModelSpec spec = native_spec();
      spec.rope.pairing = pairing;
      spec.tied_embeddings = tied;
      const SyntheticModel model(spec, 7);
      for (const Isa isa : supported_isas()) {
        NativeOptions wanted = options(32);
        wanted.isa = isa;
        const auto all = prompts({1, 5, 40});
        const auto generated = test::generate(*open(model, wanted), all, 4, {.n_together = 3, .block_size = 32}, 70);
        for (std::size_t i = 0; i < all.size(); ++i) {
          std::vector<TokenId> tokens = all[i];
          for (const Sampled& sampled : generated[i]) {
            const auto expected = test::naive_logprobs(model, tokens);
            double total = 0;
            for (const TopLogprob& top : sampled.top) {
              const double error = std::fabs(double{top.logprob} - expected[static_cast<std::size_t>(top.token.value())]);
              EXPECT_LT(error, 0.6) << isa_name(isa);
              total += error;
            }
            // weights, activations, K and V each carry 8 bits; a wrong position or page gives errors above 1
            EXPECT_LT(total / static_cast<double>(sampled.top.size()), 0.15) << isa_name(isa);
            tokens.push_back(sampled.token);
          }
        }
      }
    }
  }
}

// The scalar unit, a hundred times slower, runs fewer and shorter arrangements of the same kinds.
class NativeInvariance : public ::testing::TestWithParam<Isa> {
 protected:
  NativeOptions options_of(int block_size) const {
    NativeOptions wanted = options(block_size);
    wanted.isa = GetParam();
    return wanted;
  }
  const bool brief = GetParam() == Isa::kScalar;
  const SyntheticModel model{native_spec(), 3};
  const std::vector<std::vector<TokenId>> all = brief ? prompts({1, 7, 33}) : prompts({1, 7, 33, 64, 130});
};

TEST_P(NativeInvariance, BitsDoNotDependOnCompanyChunksOrPreemption) {
  const auto alone = run(model, options_of(32), all, {});
  EXPECT_EQ(run(model, options_of(32), all, {.n_together = 3}), alone);
  for (const int chunk : brief ? std::vector{5} : std::vector{1, 5, 16, 64})
    EXPECT_EQ(run(model, options_of(32), all, {.n_together = 3, .chunk = chunk}), alone) << chunk;
  EXPECT_EQ(run(model, options_of(32), all, {.n_together = 3, .preempt_at = 2}), alone);
}

TEST_P(NativeInvariance, BitsDoNotDependOnThePageSize) {
  const auto reference = run(model, options_of(32), all, {.n_together = 3});
  for (const int block_size : brief ? std::vector{8, 1200} : std::vector{8, 16, 64, 256, 1200}) {
    EXPECT_EQ(run(model, options_of(block_size), all, {.n_together = 3}), reference) << block_size;
  }
}

TEST_P(NativeInvariance, BitsDoNotDependOnTheNumberOfThreads) {
  const auto reference = run(model, options_of(32), all, {.n_together = 3});
  for (const int n_threads : brief ? std::vector{3} : std::vector{1, 3, 4}) {
    NativeOptions wanted = options_of(32);
    wanted.n_threads = n_threads;
    EXPECT_EQ(run(model, wanted, all, {.n_together = 3}), reference) << n_threads;
  }
}

// Past 512 positions a lone row is split into parts by chunk, company is not.
TEST_P(NativeInvariance, BitsDoNotDependOnHowALongRowIsSplit) {
  const auto longer = brief ? prompts({514, 3}) : prompts({1100, 600, 3});
  const int n_new = brief ? 2 : 3;
  NativeOptions one = options_of(32);
  one.n_threads = 1;
  const auto whole = run(model, one, longer, {}, n_new);
  if (!brief) EXPECT_EQ(run(model, options_of(32), longer, {}, n_new), whole);
  EXPECT_EQ(run(model, options_of(32), longer, {.n_together = brief ? 1 : 3, .chunk = 100}, n_new), whole);
}

TEST_P(NativeInvariance, BitsDoNotDependOnWhatIsSwitchedOff) {
  const auto right = run(model, options_of(32), all, {.n_together = 3});
  const Switches off[] = {
      {.rows = Switches::Rows::kAlone},
      {.attention = Switches::Attention::kGathered},
      {.attention = Switches::Attention::kNaive},
      {.sampling = Switches::Sampling::kOneByOne},
      {Switches::Rows::kAlone, Switches::Attention::kNaive, Switches::Sampling::kOneByOne},
  };
  for (const Switches& switches : off) {
    for (const int block_size : {8, 32, 1200}) {
      NativeOptions wanted = options_of(block_size);
      wanted.switches = switches;
      EXPECT_EQ(run(model, wanted, all, {.n_together = 3, .chunk = 40}), right) << (&switches - off) << ", B " << block_size;
    }
  }
}

// Past 512 positions, where a lone row is split: what is gathered of it are the chunks of each part.
TEST_P(NativeInvariance, BitsOfALongRowDoNotDependOnWhereItsKeysAre) {
  const auto longer = brief ? prompts({514}) : prompts({1100});
  const auto right = run(model, options_of(32), longer, {}, 2);
  for (const auto attention : {Switches::Attention::kGathered, Switches::Attention::kNaive}) {
    NativeOptions wanted = options_of(32);
    wanted.switches.attention = attention;
    EXPECT_EQ(run(model, wanted, longer, {}, 2), right);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, NativeInvariance, ::testing::ValuesIn(supported_isas()));

TEST(NativeRunner, W4A16AndW4A8DifferOnlyByRounding) {
  const SyntheticModel model(native_spec(), 5);
  NativeOptions wanted = options(32);
  const auto of = prompts({20});
  const auto a8 = test::generate(*open(model, wanted), of, 1, {.block_size = 32}, 70);
  wanted.mode = ComputeMode::kW4A16;
  const auto a16 = test::generate(*open(model, wanted), of, 1, {.block_size = 32}, 70);
  EXPECT_EQ(bits_of(a8), bits_of(a16));  // float weights take the bf16 path in both modes
}

std::vector<TokenId> tokens_of(const std::vector<std::vector<Sampled>>& generated) {
  std::vector<TokenId> all;
  for (const auto& sequence : generated) {
    for (const Sampled& sampled : sequence) all.push_back(sampled.token);
  }
  return all;
}

// Without log-probabilities the logits of a greedy row are never written out.
TEST(NativeRunner, PlainGreedyRowsGetTheTokensOfTheSampler) {
  const SyntheticModel model(native_spec(), 5);
  const auto of = prompts({20, 3, 9});
  for (const Isa isa : supported_isas()) {
    for (const int n_tokens : {70, 65, 33}) {
      NativeOptions wanted = options(32);
      wanted.isa = isa;
      wanted.n_tokens = n_tokens;
      const Arrangement together{.n_together = 3, .block_size = 32};
      const auto plain = tokens_of(test::generate(*open(model, wanted), of, 8, together));
      EXPECT_EQ(plain, tokens_of(test::generate(*open(model, wanted), of, 8, together, 0))) << isa_name(isa);
      for (const TokenId token : plain) EXPECT_LT(token.value(), n_tokens);
    }
  }
}

TEST(NativeRunner, NotFiniteLogitsEndTheStepAndTheNextOneWorks) {
  SyntheticModel model(native_spec(), 5);
  const auto of = prompts({4});
  const auto good = run(model, options(32), of, {});
  model.numbers(TensorRole::kDown, 1)[3] = std::numeric_limits<float>::quiet_NaN();
  const auto runner = open(model, options(32));
  EXPECT_THROW((void)test::generate(*runner, of, 1, {.block_size = 32}), ModelStepError);
  EXPECT_THROW((void)test::generate(*runner, of, 1, {.block_size = 32}), ModelStepError);
  EXPECT_FALSE(good.empty());
}

TEST(NativeRunner, RefusesAPositionBehindTheLongestSequence) {
  const SyntheticModel model(native_spec(), 5);
  const auto of = prompts({40});
  NativeOptions wanted = options(32);
  wanted.max_positions = 42;
  EXPECT_EQ(test::generate(*open(model, wanted), of, 3, {.block_size = 32}).front().size(), 3U) << "the last one fits";
  EXPECT_THROW((void)test::generate(*open(model, wanted), of, 4, {.block_size = 32}), InvariantError);
}

TEST(NativeRunner, RefusesShapesItsKernelsDoNotRun) {
  ModelSpec spec = native_spec();
  spec.head_dim = 24;
  spec.rope.n_rotary_dims = 24;
  const SyntheticModel model(spec, 1);
  const auto runner = make_native_runner(model.plan(), model, options(32), [](std::int64_t, std::int64_t) {});
  ASSERT_FALSE(runner);
  EXPECT_EQ(runner.error().code, Errc::kModelFormat);
  EXPECT_EQ(runner.error().message, "the native backend needs the head size to be a multiple of 32, got 24");
}

}  // namespace
}  // namespace mie::native::testing
