// Greedy tokens of the fp32 torch backend against transformers: 24 prompts of 64 tokens each, through the engine, in the
// arrangements that must not matter. A token may differ only where the reference's own two best logits lie within kTieGap
// of each other; what follows such a token is another text and is not compared.
#include "bench/steps/engine_driver.h"
#include "tests/fakes/step_driver.h"
#include "tests/models/torch/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <span>

namespace mie::test {
namespace {

using bench::DriveSetup;

constexpr double kTieGap = 1e-4;
constexpr int kNew = 64;
constexpr int kLongest = 384;  // tokens of the longest prompt and its answer, rounded up to whole pages

// The prompts need about 200 pages of 16 together; at the end of the longest one alone, 20.
constexpr DriveSetup kBatched{
    .limits = {.max_seqs = 24, .max_tokens = 2048, .max_prefill_chunk = 2048}, .n_blocks = 256, .max_model_len = kLongest};

std::vector<std::vector<TokenId>> prompts_of(std::span<const GoldenPrompt> golden) {
  std::vector<std::vector<TokenId>> prompts;
  for (const GoldenPrompt& prompt : golden) prompts.push_back(prompt.ids);
  return prompts;
}

// One thread: under a loaded test machine more of them wait for each other.
std::unique_ptr<ModelRunner> fp32_runner(int n_blocks, int block_size) {
  return open_runner(*open_test_model(),
                     {.dtype = TorchDtype::kFloat32, .n_threads = 1, .n_blocks = n_blocks, .block_size = block_size});
}

struct Comparison {
  int n_compared = 0, n_ties = 0, n_preemptions = 0, max_batch = 0;
};

void compare(const GoldenPrompt& golden, const std::vector<TokenId>& ours, Comparison& total) {
  ASSERT_EQ(golden.tokens.size(), ours.size()) << golden.name;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ++total.n_compared;
    if (ours[i] == golden.tokens[i]) continue;
    if (golden.gaps[i] < kTieGap) {
      ++total.n_ties;
      std::printf("  %s: token %zu differs at a gap of %g\n", golden.name.c_str(), i, golden.gaps[i]);
      return;
    }
    FAIL() << golden.name << ": token " << i << " is " << ours[i] << ", the reference has " << golden.tokens[i]
           << " with a gap of " << golden.gaps[i];
  }
}

Comparison expect_reference_tokens(const char* name, const DriveSetup& setup, std::span<const GoldenPrompt> golden) {
  const auto runner = fp32_runner(setup.n_blocks, setup.block_size);
  const auto answers = bench::answer(*runner, setup, prompts_of(golden), kNew);
  Comparison total;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    EXPECT_FALSE(answers[i].finish.error) << golden[i].name;
    compare(golden[i], answers[i].tokens, total);
    total.n_preemptions += answers[i].finish.times.n_preemptions;
    total.max_batch = std::max(total.max_batch, answers[i].finish.times.max_batch);
  }
  std::printf("%-12s %4d tokens compared, %d ties, largest batch %d, %d preemptions\n", name, total.n_compared, total.n_ties,
              total.max_batch, total.n_preemptions);
  if (total.n_ties == 0) {
    EXPECT_EQ(total.n_compared, static_cast<int>(golden.size()) * kNew);
  }
  return total;
}

Comparison expect_reference_tokens(const char* name, const DriveSetup& setup) {
  const auto golden = golden_prompts();
  EXPECT_EQ(golden.size(), 24U);
  return expect_reference_tokens(name, setup, golden);
}

// Two tests, since one stream takes as many steps as there are tokens.
void expect_reference_tokens_alone(std::size_t first, std::size_t n) {
  const auto golden = golden_prompts();
  DriveSetup setup = kBatched;
  setup.scheduler = SchedulerKind::kSerial;
  EXPECT_EQ(expect_reference_tokens("alone", setup, std::span(golden).subspan(first, n)).max_batch, 1);
}

TEST(TorchGreedy, AloneEqualsTheReferenceFirstHalf) { expect_reference_tokens_alone(0, 12); }
TEST(TorchGreedy, AloneEqualsTheReferenceSecondHalf) { expect_reference_tokens_alone(12, 12); }

TEST(TorchGreedy, BatchedEqualsTheReference) { EXPECT_EQ(expect_reference_tokens("batched", kBatched).max_batch, 24); }

TEST(TorchGreedy, ChunkedEqualsTheReference) {
  DriveSetup setup = kBatched;
  setup.scheduler = SchedulerKind::kChunked;
  setup.limits.max_prefill_chunk = 16;
  EXPECT_EQ(expect_reference_tokens("chunked", setup).max_batch, 24);
}

TEST(TorchGreedy, PreemptedEqualsTheReference) {
  DriveSetup setup = kBatched;
  setup.n_blocks = 80;
  setup.prefix_caching = false;
  EXPECT_GE(expect_reference_tokens("preempted", setup).n_preemptions, 8);
}

TEST(TorchGreedy, LongPagesEqualTheReference) {
  DriveSetup setup = kBatched;
  setup.block_size = 32;
  expect_reference_tokens("pages of 32", setup);
}

TEST(TorchGreedy, ContiguousEqualsTheReference) {
  DriveSetup setup = kBatched;
  setup.block_size = kLongest;
  setup.n_blocks = 24;
  expect_reference_tokens("contiguous", setup);
}

TEST(TorchLogprobs, FiveBestOfTheFirstTokenEqualTheReference) {
  int n_prompts = 0;
  const auto runner = fp32_runner(64, 16);
  for (const GoldenPrompt& golden : golden_prompts()) {
    if (golden.top_logprobs.empty()) continue;
    ++n_prompts;
    const Sampled first = generate(*runner, std::vector<std::vector<TokenId>>{golden.ids}, 1, {}, 5).front().front();
    ASSERT_EQ(first.top.size(), golden.top_logprobs.size());
    for (std::size_t i = 0; i < first.top.size(); ++i) {
      EXPECT_EQ(first.top[i].token, golden.top_logprobs[i].token) << golden.name << ", place " << i;
      EXPECT_NEAR(first.top[i].logprob, golden.top_logprobs[i].logprob, 1e-3) << golden.name << ", place " << i;
    }
    EXPECT_EQ(first.logprob, first.top.front().logprob);
  }
  EXPECT_EQ(n_prompts, 8);
}

}  // namespace
}  // namespace mie::test
