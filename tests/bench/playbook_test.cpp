// The order in which a divergence is hunted, as tests: tokenisation, prefill, cache contents, decode position, rotary
// embedding, write, read, attention, logits, token, next position. Each kind of bug is planted, in a decoder in plain loops
// or in what the native backend is told, and the finder must name the tensor, the layer and the position of that very place.
#include "bench/diff/compare.h"
#include "bench/diff/drive.h"
#include "bench/diff/report.h"
#include "models/native/native_runner.h"
#include "tests/fakes/faulty_decoder.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <set>

namespace mie::diff {
namespace {

using test::Fault;
using test::FaultyDecoder;
using test::Planted;
using test::SyntheticModel;

constexpr int kPrompt = 20, kTotal = 30, kBlock = 8;

ModelSpec spec_of(RopePairing pairing = RopePairing::kHalf) {
  ModelSpec spec = test::small_spec();
  spec.n_layers = 3;
  spec.hidden = 64;
  spec.head_dim = spec.rope.n_rotary_dims = 32;
  spec.ffn_hidden = 96;
  spec.n_vocab = 70;  // no multiple of a panel
  spec.rope.pairing = pairing;
  return spec;
}

// Random weights tamed to what trained ones do, since the expected rounding is of such models: scores are a few units, where
// softmax does not magnify a rounding, and a block adds less to the residual stream than is there.
SyntheticModel model_of(std::uint64_t seed, RopePairing pairing = RopePairing::kHalf) {
  SyntheticModel model(spec_of(pairing), seed);
  for (int layer = 0; layer < model.spec().n_layers; ++layer) {
    for (const TensorRole role : {TensorRole::kQ, TensorRole::kAttnOut, TensorRole::kDown}) {
      for (float& weight : model.numbers(role, layer)) weight /= 8;
    }
  }
  return model;
}

Script script_of(int seed = 1) {
  Script script{.tokens = {}, .n_prompt = kPrompt, .n_total = kTotal};
  for (int i = 0; i < kPrompt; ++i) script.tokens.emplace_back((i * i * 7 + seed * 13 + i) % 70);
  return script;
}

Record of_decoder(const SyntheticModel& model, const Script& script, Planted planted, Arrangement arrangement = {}) {
  arrangement.block_size = kBlock;
  Recorder recorder;
  FaultyDecoder runner(model, blocks_needed(script, arrangement), kBlock, &recorder, planted);
  Record record = drive(runner, recorder, script, arrangement);
  record.numerics = {Arithmetic::kFp32, "loops"};
  return record;
}

// Tells the runner something else than the engine packed.
class Misled final : public ModelRunner {
 public:
  using Change = std::function<void(StepBatch&)>;
  Misled(std::unique_ptr<ModelRunner> runner, Change change) : runner_(std::move(runner)), change_(std::move(change)) {}
  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override {
    StepBatch changed = batch;
    if (change_) change_(changed);
    runner_->run(changed, rows, sampled);
  }

 private:
  std::unique_ptr<ModelRunner> runner_;
  Change change_;
};

struct NativeSide {
  native::Isa isa = native::best_isa();
  int block_size = kBlock;
  int n_threads = 2;
  Misled::Change change{};
};

// Two blocks more than needed, for a table to point to.
Record of_native(const SyntheticModel& model, const Script& script, const NativeSide& side = {}, Arrangement arrangement = {}) {
  arrangement.block_size = side.block_size;
  Recorder recorder;
  const int rows = rows_needed(script, arrangement);
  auto made = native::make_native_runner(model.plan(), model,
                                         {.n_blocks = blocks_needed(script, arrangement) + 2,
                                          .block_size = side.block_size,
                                          .max_rows = rows,
                                          .max_logits = rows,
                                          .max_positions = script.n_total + 1,  // a planted bug goes one too far
                                          .n_tokens = model.spec().n_vocab,
                                          .mode = native::ComputeMode::kW4A8,
                                          .isa = side.isa,
                                          .n_threads = side.n_threads,
                                          .cores = {},
                                          .tap = &recorder},
                                         [](std::int64_t, std::int64_t) {});
  if (!made) throw std::runtime_error(made.error().message);
  Misled runner(std::move(*made), side.change);
  Record record = drive(runner, recorder, script, arrangement);
  record.numerics = {Arithmetic::kBf16, "native " + std::string(native::isa_name(side.isa))};  // float weights
  return record;
}

std::string text(const std::optional<Place>& place) {
  if (!place) return "nowhere";
  const std::string what = place->stage == Stage::kInput       ? "input"
                           : place->stage == Stage::kNextToken ? "next token"
                                                               : name_of(place->tensor);
  return what + " at " + std::to_string(place->position);
}

std::string first_above(const Record& a, const Record& b) { return text(compare(a, b).value().first_above); }

struct Case {
  const char* name;
  Planted planted;
  const char* found;
};

class Playbook : public ::testing::TestWithParam<Case> {};

// The same arithmetic on both sides: not a bit may differ.
TEST_P(Playbook, FindsThePlaceAmongEqualBits) {
  const SyntheticModel model = model_of(3);
  const Record sound = of_decoder(model, script_of(), {});
  const Script forced{.tokens = sound.tokens, .n_prompt = kPrompt, .n_total = kTotal};
  for (const Arrangement& arrangement : {Arrangement{}, Arrangement{.chunk = 6}, Arrangement{.batch = 3}}) {
    const auto comparison = compare(sound, of_decoder(model, forced, GetParam().planted, arrangement)).value();
    EXPECT_EQ(text(comparison.first_different), GetParam().found);
    EXPECT_EQ(text(comparison.first_above), GetParam().found);
  }
}

// 8-bit mantissas on one side and doubles on the other: every number differs, and the bug still stands out.
TEST_P(Playbook, FindsThePlaceAmongRoundingErrors) {
  const SyntheticModel model = model_of(3);
  const Record native = of_native(model, script_of());
  const Script forced{.tokens = native.tokens, .n_prompt = kPrompt, .n_total = kTotal};
  const auto comparison = compare(native, of_decoder(model, forced, GetParam().planted)).value();
  EXPECT_EQ(text(comparison.first_above), GetParam().found);
  EXPECT_EQ(text(comparison.first_different), "embed at 0");  // weights rounded to bf16
}

INSTANTIATE_TEST_SUITE_P(
    Bugs, Playbook,
    ::testing::Values(Case{"NoBug", {}, "nowhere"}, Case{"StaleToken", {Fault::kWrongToken, 0, 23}, "embed at 23"},
                      Case{"DecodePosition", {Fault::kPosition, 0, kPrompt}, "layer 0 q at 20"},
                      Case{"NextPosition", {Fault::kPosition, 0, kPrompt + 1}, "layer 0 q at 21"},
                      Case{"PositionInOneLayer", {Fault::kPosition, 2, 7}, "layer 2 q at 7"},
                      Case{"RotaryPairs", {Fault::kRopePairs, 1, 0}, "layer 1 q at 1"},  // nothing turns at position 0
                      Case{"KeyLostInPrefill", {Fault::kKeyLost, 1, 5}, "layer 1 k at 5"},
                      Case{"KeyLostInDecode", {Fault::kKeyLost, 2, 24}, "layer 2 k at 24"},
                      Case{"KeyMisplaced", {Fault::kKeyMisplaced, 0, 25}, "layer 0 k at 25"},
                      Case{"ValueStale", {Fault::kValueStale, 1, 22}, "layer 1 v at 22"},
                      Case{"BlocksSwapped", {Fault::kBlocksSwapped, 1, 12}, "layer 1 attn_out at 12"},
                      Case{"PageTaken", {Fault::kPageTaken, 0, 26}, "layer 0 attn_out at 26"},
                      Case{"MaskWide", {Fault::kMaskWide, 2, 9}, "layer 2 attn_out at 9"},
                      Case{"MaskNarrow", {Fault::kMaskNarrow, 1, 21}, "layer 1 attn_out at 21"},
                      Case{"Logits", {Fault::kLogits, 0, 19}, "logits at 19"},
                      Case{"SecondBestToken", {Fault::kSecondBest, 0, 27}, "next token at 27"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(PlaybookNative, WhatTheRunnerIsToldWronglyIsFoundWhereItFirstMatters) {
  const SyntheticModel model = model_of(3);
  const Record sound = of_native(model, script_of());
  const Script forced{.tokens = sound.tokens, .n_prompt = kPrompt, .n_total = kTotal};
  const auto found = [&](Misled::Change change, Arrangement arrangement = {}) {
    return first_above(sound, of_native(model, forced, {.change = std::move(change)}, arrangement));
  };
  const auto decoding = [](const StepBatch& batch) { return batch.n_tokens() == 1; };
  EXPECT_EQ(found({}), "nowhere");
  EXPECT_EQ(found([&](StepBatch& b) { b.positions[0] += decoding(b) ? 1 : 0; }), "layer 0 q at 20");
  EXPECT_EQ(found([&](StepBatch& b) { b.positions[0] += b.positions[0] == 24 ? 1 : 0; }), "layer 0 q at 24");
  EXPECT_EQ(found(
                [&](StepBatch& b) {
                  if (b.positions[0] == 0) return;
                  for (auto& position : b.positions) ++position;
                },
                {.chunk = 7}),
            "layer 0 q at 7");  // every chunk but the first
  EXPECT_EQ(found([&](StepBatch& b) { b.tokens[0] = decoding(b) ? forced.tokens[kPrompt - 1].value() : b.tokens[0]; }),
            "embed at 20");
  EXPECT_EQ(found([&](StepBatch& b) {
              if (decoding(b)) std::swap(b.block_tables[0], b.block_tables[2]);
            }),
            "layer 0 attn_out at 20");
  const int spare = blocks_needed(forced, {.block_size = kBlock});
  EXPECT_EQ(found([&](StepBatch& b) { b.block_tables[0] = decoding(b) ? spare : b.block_tables[0]; }),
            "layer 0 attn_out at 20");
  EXPECT_EQ(found([&](StepBatch& b) { b.block_tables[1] = b.positions[0] >= 12 ? spare : b.block_tables[1]; }, {.chunk = 4}),
            "layer 0 attn_out at 12");  // rows 8 … 11 lie in a block that the table has lost
}

TEST(PlaybookNative, NoTensorDependsOnTheArrangement) {
  const SyntheticModel model = model_of(5);
  const Record plain = of_native(model, script_of());
  const Script forced{.tokens = plain.tokens, .n_prompt = kPrompt, .n_total = kTotal};
  for (const Arrangement& arrangement : {Arrangement{.chunk = 1}, Arrangement{.chunk = 7}, Arrangement{.batch = 4},
                                         Arrangement{.chunk = 3, .batch = 3}, Arrangement{.cached = false}}) {
    const auto comparison = compare(plain, of_native(model, forced, {}, arrangement)).value();
    EXPECT_EQ(text(comparison.first_different), "nowhere") << arrangement.chunk << ' ' << arrangement.batch;
    EXPECT_EQ(comparison.tensors.size(), 3U * 9 + 3);
    EXPECT_EQ(comparison.n_positions, kTotal);
  }
  for (const int block_size : {16, 32, kTotal})
    EXPECT_EQ(first_above(plain, of_native(model, forced, {.block_size = block_size})), "nowhere");
  EXPECT_EQ(first_above(plain, of_native(model, forced, {.n_threads = 1})), "nowhere");
}

// Rows past 512 positions are computed in parts by several threads, whose results are put together elsewhere.
TEST(PlaybookNative, RowsComputedInPartsAreSeenWhole) {
  ModelSpec spec = spec_of();
  spec.n_layers = 1;
  spec.context_length = 600;
  const SyntheticModel model(spec, 5);
  Script script{.tokens = {}, .n_prompt = 540, .n_total = 543};
  for (int i = 0; i < script.n_prompt; ++i) script.tokens.emplace_back(i * i % 70);
  const Record parts = of_native(model, script, {.block_size = 32, .n_threads = 3});
  const Script forced{.tokens = parts.tokens, .n_prompt = 540, .n_total = 543};
  EXPECT_EQ(first_above(parts, of_native(model, forced, {.block_size = 32, .n_threads = 1})), "nowhere");
}

TEST(PlaybookNative, EveryInstructionSetIsWithinTheExpectedRounding) {
  for (const RopePairing pairing : {RopePairing::kHalf, RopePairing::kInterleaved}) {
    const SyntheticModel model = model_of(7, pairing);
    const Record loops = of_decoder(model, script_of(), {});
    const Script forced{.tokens = loops.tokens, .n_prompt = kPrompt, .n_total = kTotal};
    const Record best = of_native(model, forced);
    for (const native::Isa isa : native::all_isas()) {
      if (!native::isa_supported(isa)) continue;
      const Record native = of_native(model, forced, {.isa = isa});
      EXPECT_EQ(first_above(loops, native), "nowhere") << native::isa_name(isa);
      EXPECT_EQ(first_above(best, native), "nowhere") << native::isa_name(isa);
    }
  }
}

TEST(Tokenisation, OtherTokensAreTheFirstDifference) {
  const SyntheticModel model = model_of(3);
  Script other = script_of();
  other.tokens[4] = TokenId(other.tokens[4].value() ^ 1);
  const Record a = of_decoder(model, script_of(), {}), b = of_decoder(model, other, {});
  EXPECT_EQ(first_above(a, b), "input at 4");
  EXPECT_TRUE(diverged(a, b, compare(a, b).value()));
}

// Page, row and place of what the driver packs: each sequence's rows follow each other, no page is shared.
TEST(Drive, EverySequenceOfAStepHasPagesOfItsOwn) {
  class Looking final : public ModelRunner {
   public:
    void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override {
      EXPECT_EQ(rows.size(), batch.logits_rows.size());
      std::set<std::int32_t> pages(batch.block_tables.begin(), batch.block_tables.end());
      EXPECT_EQ(pages.size(), batch.block_tables.size());
      EXPECT_EQ(*pages.begin() >= 0 && *pages.rbegin() < 12, true);
      largest = std::max(largest, batch.n_tokens());
      for (const std::int32_t row : batch.logits_rows) read.push_back(batch.tokens[static_cast<std::size_t>(row)]);
      std::fill(sampled.begin(), sampled.end(), Sampled{.token = TokenId(9), .top = {}});
    }
    int largest = 0;
    std::vector<std::int32_t> read;
  } runner;
  Recorder recorder;
  const Script script{.tokens = {TokenId(1), TokenId(2), TokenId(3), TokenId(4), TokenId(5)}, .n_prompt = 5, .n_total = 8};
  const Arrangement arrangement{.block_size = 2, .chunk = 2, .batch = 3};
  const Record record = drive(runner, recorder, script, arrangement);
  EXPECT_EQ(blocks_needed(script, arrangement), 12);
  EXPECT_LE(runner.largest, rows_needed(script, arrangement));
  EXPECT_EQ(runner.read, (std::vector<std::int32_t>{1, 2, 3, 4, 5, 9, 9, 9}));
  EXPECT_EQ(record.tokens.size(), 8U);
  EXPECT_EQ(record.next.size(), 8U);
}

}  // namespace
}  // namespace mie::diff
