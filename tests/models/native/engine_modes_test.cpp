// 500 prompts on the default model through the engine: whatever a mode switches on or off, the tokens are those of each prompt
// alone, without a cache of prefixes. One test, since what is right takes as long as any mode.
#include "bench/steps/engine_driver.h"
#include "bench/steps/six_requests.h"
#include "models/native/native_runner.h"
#include "models/registry.h"
#include "models/weights/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

namespace mie::native::testing {
namespace {

using bench::DrivenAnswer;
using bench::DriveSetup;
using bench::Question;

constexpr int kVocab = 49152, kPrompts = 500, kBeginnings = 40, kLongest = 88;

// Prompts of 1 to 56 tokens that begin in one of 40 ways, half of them sampled with a seed of their own.
std::vector<Question> questions() {
  std::mt19937 random(3);
  const auto between = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  const auto tokens = [&](int n) {
    std::vector<TokenId> made;
    for (int i = 0; i < n; ++i) made.emplace_back(between(0, kVocab - 1));
    return made;
  };
  std::vector<std::vector<TokenId>> beginnings;
  for (int i = 0; i < kBeginnings; ++i) beginnings.push_back(tokens(between(0, 40)));
  std::vector<Question> all;
  for (int i = 0; i < kPrompts; ++i) {
    Question& question = all.emplace_back();
    question.prompt = beginnings[static_cast<std::size_t>(between(0, kBeginnings - 1))];
    for (const TokenId token : tokens(between(1, 16))) question.prompt.push_back(token);
    question.n_new = i % 5 == 0 ? 32 : between(1, 3);
    question.temperature = i % 2 == 0 ? 0.0F : 1.0F;
    question.seed = static_cast<std::uint64_t>(i);
  }
  return all;
}

struct Mode {
  SchedulerKind scheduler = SchedulerKind::kChunked;
  int n_together = 32;
  int chunk = 256;
  int block_size = 8;
  int n_blocks = 32 * kLongest / 8;
  bool keep_kv = true;
  bool prefix_caching = true;
  int n_drafts = 0;
  int n_choices = 1;
  Switches switches{};
};

class EngineModes : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("MIE_TEST_MODEL");
    ASSERT_NE(path, nullptr) << "MIE_TEST_MODEL must name the default model; run the tests by ./dev test";
    file_ = GgufFile::open(path).value();
    plan_.emplace(plan_model(*file_).value());
    questions_ = questions();
  }

  std::unique_ptr<ModelRunner> runner_of(const Mode& mode) {
    const NativeOptions options{.n_blocks = mode.n_blocks,
                                .block_size = mode.block_size,
                                .max_rows = 512,
                                .max_logits = mode.n_together * (1 + mode.n_drafts),
                                .max_positions = std::max(kLongest, bench::kSixLongest),
                                .n_tokens = kVocab,
                                .mode = ComputeMode::kW4A8,
                                .isa = best_isa(),
                                .n_threads = 2,
                                .cores = {},
                                .switches = mode.switches};
    auto runner = make_native_runner(*plan_, *file_, options, [](std::int64_t, std::int64_t) {});
    if (!runner) throw std::runtime_error(runner.error().message);
    return std::move(*runner);
  }

  std::vector<DrivenAnswer> answers(const Mode& mode, std::span<const Question> asked) {
    const auto runner = runner_of(mode);
    DriveSetup setup;
    setup.scheduler = mode.scheduler;
    setup.limits = {.max_seqs = mode.n_together, .max_tokens = 512, .max_prefill_chunk = mode.chunk};
    setup.n_blocks = mode.n_blocks;
    setup.block_size = mode.block_size;
    setup.max_model_len = kLongest;
    setup.keep_kv = mode.keep_kv;
    setup.prefix_caching = mode.prefix_caching;
    setup.n_drafts = mode.n_drafts;
    setup.n_choices = mode.n_choices;
    return bench::answer(*runner, setup, asked);
  }

  // How many answers of the mode, cut at n_most tokens, differ from `right`.
  int differences(const Mode& mode, int n_most = kLongest) {
    auto asked = questions_;
    for (Question& question : asked) question.n_new = std::min(question.n_new, n_most);
    const auto given = answers(mode, asked);
    n_preemptions_ = n_cached_ = 0;
    int n = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      auto right = right_[i / static_cast<std::size_t>(mode.n_choices)].tokens;
      right.resize(std::min(right.size(), static_cast<std::size_t>(n_most)));
      n += given[i].tokens != right ? 1 : 0;
      n_preemptions_ += given[i].finish.times.n_preemptions;
      n_cached_ += given[i].finish.times.n_cached_tokens;
    }
    EXPECT_EQ(given.size(), questions_.size() * static_cast<std::size_t>(mode.n_choices));
    return n;
  }

  void shuffle() {
    std::vector<std::size_t> order(questions_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(9));
    const auto in_order = [&](const auto& all) {
      auto shuffled = all;
      for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = all[order[i]];
      return shuffled;
    };
    questions_ = in_order(questions_);
    right_ = in_order(right_);
  }

  std::unique_ptr<GgufFile> file_;
  std::optional<ModelPlan> plan_;
  std::vector<Question> questions_;
  std::vector<DrivenAnswer> right_;
  int n_preemptions_ = 0, n_cached_ = 0;  // of the last mode
};

TEST_F(EngineModes, OfSixRequestsTakeTheStepsOfThePublishedTables) {
  const auto runner = runner_of({.n_together = 6, .block_size = bench::kSixBlockSize, .n_blocks = bench::kSixBlocks});
  EXPECT_THAT(bench::wrong_six_request_counts(*runner, kVocab, {true}), ::testing::IsEmpty());
}

TEST_F(EngineModes, GiveFiveHundredPromptsTheTokensOfEachAlone) {
  right_ = answers({.scheduler = SchedulerKind::kSerial, .n_together = 1, .prefix_caching = false}, questions_);
  ASSERT_EQ(right_.size(), std::size_t{kPrompts});
  for (const int n : {2, 8, 64})
    EXPECT_EQ(differences({.n_together = n, .n_blocks = 64 * kLongest / 8}), 0) << n << " together";
  EXPECT_GT(n_cached_, 2000) << "beginnings are found";
  EXPECT_EQ(differences({.chunk = 16}), 0) << "chunks of 16";
  EXPECT_EQ(differences({.prefix_caching = false}), 0) << "without a prefix cache";
  EXPECT_EQ(n_cached_, 0);
  EXPECT_EQ(differences({.n_blocks = 14}), 0) << "on a pool of 112 tokens";
  EXPECT_GT(n_preemptions_, 20);
  EXPECT_EQ(differences({.n_blocks = 14, .prefix_caching = false, .n_choices = 2}), 0) << "two choices on that pool";
  EXPECT_GT(n_preemptions_, 20);
  EXPECT_EQ(differences({.n_choices = 3}), 0) << "three choices of each";
  EXPECT_EQ(differences({.n_together = 8, .n_drafts = 4}), 0) << "with drafts";
  EXPECT_EQ(differences({.scheduler = SchedulerKind::kStatic}), 0) << "static batches";
  EXPECT_EQ(differences({.scheduler = SchedulerKind::kContinuous}), 0) << "whole prompts";
  EXPECT_EQ(differences({.block_size = kLongest, .n_blocks = 32}), 0) << "contiguous";
  EXPECT_EQ(differences({.block_size = 32, .n_blocks = 148}), 0) << "pages of 32";
  EXPECT_EQ(differences({.keep_kv = false, .prefix_caching = false}, 8), 0) << "without a cache";
  EXPECT_EQ(differences({.switches = {.attention = Switches::Attention::kGathered}}), 0) << "gathered";
  EXPECT_EQ(differences({.switches = {.attention = Switches::Attention::kNaive, .sampling = Switches::Sampling::kOneByOne}}), 0)
      << "query by query, token by token";
  EXPECT_EQ(differences({.scheduler = SchedulerKind::kSerial, .switches = {.rows = Switches::Rows::kAlone}}), 0)
      << "row by row, one request at a time";
  shuffle();
  EXPECT_EQ(differences({}), 0) << "shuffled";
}

}  // namespace
}  // namespace mie::native::testing
