// The default model on the native backend: 200 prompts give the same bits in every arrangement.
#include "models/native/native_runner.h"
#include "models/native/thread_pool.h"
#include "models/registry.h"
#include "models/weights/gguf.h"
#include "tests/fakes/step_driver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace mie::native::testing {
namespace {

using test::Arrangement;

constexpr int kVocab = 49152, kPrompts = 200, kLongPrompts = 2, kLongest = 620, kNew = 2, kScoredPrompts = 40;

// Lengths 1 … 48, and two that are longer than the largest chunk.
std::vector<std::vector<TokenId>> prompts() {
  std::mt19937 rng(11);
  std::vector<std::vector<TokenId>> all;
  for (int i = 0; i < kPrompts; ++i) {
    auto& prompt = all.emplace_back();
    const int length = i < kLongPrompts ? kLongest - i * 40 : 1 + static_cast<int>(rng() % 48);
    for (int k = 0; k < length; ++k) prompt.emplace_back(static_cast<std::int32_t>(rng() % kVocab));
  }
  return all;
}

class DefaultModelBits {
 public:
  DefaultModelBits() {
    const char* path = std::getenv("MIE_TEST_MODEL");
    if (path == nullptr) throw std::runtime_error("MIE_TEST_MODEL must name the default model; run the tests by ./dev test");
    file_ = GgufFile::open(path).value();
    plan_.emplace(plan_model(*file_).value());
  }

  // Of all prompts, token and log-probability of every id of the vocabulary at each sampled position, in order of rank.
  std::vector<float> operator()(Arrangement arrangement, int n_threads = 2) {
    return flat(generate(arrangement, n_threads, kNew));
  }

  std::vector<std::vector<Sampled>> generate(Arrangement arrangement, int n_threads, int n_new) {
    return test::generate(*open(arrangement, n_threads, n_new, arrangement.n_together * (1 + arrangement.n_drafts)), prompts_,
                          n_new, arrangement, kVocab);
  }

  // What is told of the tokens of the first kScoredPrompts, with the five best of each position.
  std::vector<float> scores(Arrangement arrangement, int max_logits) {
    const auto scored =
        test::score(*open(arrangement, 2, 0, max_logits), std::span(prompts_).first(kScoredPrompts), arrangement, 5);
    std::vector<float> bits = flat(scored);
    for (const auto& prompt : scored) {
      for (const Sampled& one : prompt)
        bits.insert(bits.end(), {static_cast<float>(one.token.value()), one.logprob, static_cast<float>(one.rank)});
    }
    return bits;
  }

  static std::vector<float> flat(const std::vector<std::vector<Sampled>>& sequences) {
    std::vector<float> bits;
    for (const auto& sequence : sequences) {
      for (const Sampled& sampled : sequence) {
        for (const TopLogprob& top : sampled.top) {
          bits.push_back(static_cast<float>(top.token.value()));  // exact: below 2^24
          bits.push_back(top.logprob);
        }
      }
    }
    return bits;
  }

 private:
  std::unique_ptr<ModelRunner> open(const Arrangement& arrangement, int n_threads, int n_new, int max_logits) {
    const int per_prompt = (kLongest + n_new) / arrangement.block_size + 1;
    const NativeOptions options{.n_blocks = arrangement.n_together * per_prompt + 1,
                                .block_size = arrangement.block_size,
                                .max_rows = arrangement.n_together == 1 ? kLongest + n_new : 3072,
                                .max_logits = max_logits,
                                .max_positions = kLongest + n_new,
                                .n_tokens = kVocab,
                                .mode = ComputeMode::kW4A8,
                                .isa = best_isa(),
                                .n_threads = n_threads,
                                .cores = {}};
    auto runner = make_native_runner(*plan_, *file_, options, [](std::int64_t, std::int64_t) {});
    if (!runner) throw std::runtime_error(runner.error().message);
    return std::move(*runner);
  }

  std::unique_ptr<GgufFile> file_;
  std::optional<ModelPlan> plan_;
  std::vector<std::vector<TokenId>> prompts_ = prompts();
};

std::size_t differences(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t n = a.size() == b.size() ? 0 : a.size() + b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) n += a[i] != b[i] ? 1 : 0;
  return n;
}

TEST(NativeDefaultModel, TwoHundredPromptsHaveTheSameBitsInEveryArrangement) {
  DefaultModelBits bits;
  const auto alone = bits({.n_together = 1, .block_size = 32});
  ASSERT_EQ(alone.size(), std::size_t{2} * kPrompts * kNew * kVocab);
  EXPECT_EQ(differences(alone, bits({.n_together = 32, .block_size = 32})), 0U) << "batches of 32";
  for (const int chunk : {16, 64, 512}) {
    EXPECT_EQ(differences(alone, bits({.n_together = 32, .chunk = chunk, .block_size = 32})), 0U) << "chunks of " << chunk;
  }
  EXPECT_EQ(differences(alone, bits({.n_together = 32, .block_size = 32}, 1)), 0U) << "one thread";
  for (const int block_size : {8, 256, 1024}) {
    EXPECT_EQ(differences(alone, bits({.n_together = 32, .block_size = block_size})), 0U) << "pages of " << block_size;
  }
  EXPECT_EQ(differences(alone, bits({.n_together = 32, .block_size = 32, .preempt_at = 1})), 0U) << "preempted";
}

TEST(NativeDefaultModel, FortyPromptsAreToldOfWithTheSameBits) {
  DefaultModelBits bits;
  const auto alone = bits.scores({.n_together = 1, .block_size = 32}, 64);
  ASSERT_GT(alone.size(), std::size_t{13} * 1500);
  for (const int chunk : {16, 64, 256})
    EXPECT_EQ(differences(alone, bits.scores({.n_together = 32, .chunk = chunk, .block_size = 32}, 64)), 0U) << chunk;
  EXPECT_EQ(differences(alone, bits.scores({.n_together = 1, .chunk = 64, .block_size = 32}, 8)), 0U) << "8 rows of logits";
}

TEST(NativeDefaultModel, TwoHundredPromptsHaveTheSameBitsWhereDraftsAreVerified) {
  DefaultModelBits bits;
  constexpr int kDecoded = 4;
  const auto alone = bits.generate({.n_together = 1, .block_size = 32}, 2, kDecoded);
  const auto expected = DefaultModelBits::flat(alone);
  ASSERT_EQ(expected.size(), std::size_t{2} * kPrompts * kDecoded * kVocab);
  for (const int n_together : {1, 8}) {
    const auto drafted =
        bits.generate({.n_together = n_together, .block_size = 32, .n_drafts = 4, .guesses = alone}, 2, kDecoded);
    EXPECT_EQ(differences(expected, DefaultModelBits::flat(drafted)), 0U) << n_together << " together";
  }
}

}  // namespace
}  // namespace mie::native::testing
