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

constexpr int kVocab = 49152, kPrompts = 200, kLongPrompts = 2, kLongest = 620, kNew = 2;

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
    const int per_prompt = (kLongest + kNew) / arrangement.block_size + 1;
    const NativeOptions options{.n_blocks = arrangement.n_together * per_prompt + 1,
                                .block_size = arrangement.block_size,
                                .max_rows = arrangement.n_together == 1 ? kLongest + kNew : 3072,
                                .max_logits = arrangement.n_together,
                                .max_positions = kLongest + kNew,
                                .n_tokens = kVocab,
                                .mode = ComputeMode::kW4A8,
                                .isa = best_isa(),
                                .n_threads = n_threads,
                                .cores = {}};
    auto runner = make_native_runner(*plan_, *file_, options, [](std::int64_t, std::int64_t) {});
    if (!runner) throw std::runtime_error(runner.error().message);
    std::vector<float> bits;
    for (const auto& sequence : test::generate(**runner, prompts_, kNew, arrangement, kVocab)) {
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
  std::unique_ptr<GgufFile> file_;
  std::optional<ModelPlan> plan_;
  std::vector<std::vector<TokenId>> prompts_ = prompts();
};

TEST(NativeDefaultModel, TwoHundredPromptsHaveTheSameBitsInEveryArrangement) {
  DefaultModelBits bits;
  const auto alone = bits({.n_together = 1, .block_size = 32});
  ASSERT_EQ(alone.size(), std::size_t{2} * kPrompts * kNew * kVocab);
  const auto differences = [&](const std::vector<float>& other) {
    std::size_t n = other.size() == alone.size() ? 0 : other.size() + alone.size();
    for (std::size_t i = 0; i < std::min(other.size(), alone.size()); ++i) n += other[i] != alone[i] ? 1 : 0;
    return n;
  };
  EXPECT_EQ(differences(bits({.n_together = 32, .block_size = 32})), 0U) << "batches of 32";
  for (const int chunk : {16, 64, 512}) {
    EXPECT_EQ(differences(bits({.n_together = 32, .chunk = chunk, .block_size = 32})), 0U) << "chunks of " << chunk;
  }
  EXPECT_EQ(differences(bits({.n_together = 32, .block_size = 32}, 1)), 0U) << "one thread";
  for (const int block_size : {8, 256, 1024}) {
    EXPECT_EQ(differences(bits({.n_together = 32, .block_size = block_size})), 0U) << "pages of " << block_size;
  }
  EXPECT_EQ(differences(bits({.n_together = 32, .block_size = 32, .preempt_at = 1})), 0U) << "preempted";
}

}  // namespace
}  // namespace mie::native::testing
