// A model without weights: the next token is a hash of the tokens so far, so the right answer to any request can be
// computed alone, and pacing makes it as slow as wanted. It keeps a real paged cache of token ids: rows are written through
// the block table, and the history is read back through it, so a wrong block, a wrong position or a cache that was handed out
// twice gives wrong tokens. `--model fake:<spec>` serves it for load tests; the faults are for tests.
// Owned by whoever builds the engine. run() on one thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/id.h"
#include "models/model_runner.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mie {

struct FakeOptions {
  int n_vocab = 49152;
  std::optional<TokenId> eos{};              // sampled with the chance below; never by the rest of the hash
  int eos_per_mille = 0;                     // of 1000 tokens, how many are EOS
  std::chrono::nanoseconds step_time{0};     // cost of a step
  std::chrono::nanoseconds token_time{0};    // of each row
  std::chrono::nanoseconds context_time{0};  // of each cached token that the step reads

  // How the cost is spent; empty: the thread sleeps.
  std::function<void(std::chrono::nanoseconds)> spend{};
};

// "fake:vocab=49152,step_us=200,token_us=5,context_ns=1,eos=2,eos_per_mille=10"; every key once at most, all optional.
// Error: kConfig naming the key.
[[nodiscard]] Result<FakeOptions> parse_fake_spec(std::string_view spec);

// One thing that goes wrong.
struct FakeFault {
  enum class Kind {
    kModelStep,  // ModelStepError before anything is written
    kNonFinite,  // ModelStepError after the rows are written, as for NaN logits
    kDevice,     // DeviceFailure
    kBadAlloc,   // std::bad_alloc
  };
  int step = 0;  // the n-th call of run(), from 0
  Kind kind = Kind::kModelStep;
};

class FakeRunner final : public ModelRunner {
 public:
  FakeRunner(FakeOptions options, int n_blocks, int block_size);

  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override;

  // Before the engine uses it. `before_step` is called with the step's number first thing in run(); it may wait or throw.
  void set_faults(std::vector<FakeFault> faults) { faults_ = std::move(faults); }
  void set_before_step(std::function<void(int, const StepBatch&)> before_step) { before_step_ = std::move(before_step); }

  // What a right engine samples after `prompt`, up to `n` tokens, ending early with one of `stop_ids` (banned for the first
  // `min_tokens`). `sampling` as SamplingParams::row() gives it.
  [[nodiscard]] static std::vector<TokenId> expected_tokens(const FakeOptions& options, std::span<const TokenId> prompt, int n,
                                                            const SamplingRow& sampling = {.temperature = 0},
                                                            std::span<const TokenId> stop_ids = {}, int min_tokens = 0);

  // What a right engine tells of the prompt's tokens after the first, with the `n_top` best of each.
  [[nodiscard]] static std::vector<Sampled> expected_scores(const FakeOptions& options, std::span<const TokenId> prompt,
                                                            int n_top);

 private:
  void check(const StepBatch& batch, std::span<const SamplingRow> rows) const;
  void write(const StepBatch& batch);
  [[nodiscard]] std::uint64_t hash_history(const StepBatch& batch, int seq, int n_tokens) const;
  [[nodiscard]] std::size_t slot(const StepBatch& batch, int seq, int position) const;
  void spend_time(const StepBatch& batch, Clock::time_point began) const;
  [[nodiscard]] bool fault(int step, FakeFault::Kind kind) const;

  FakeOptions options_;
  int n_blocks_, block_size_;
  std::vector<std::int32_t> cache_;  // [n_blocks, block_size] token ids, -1 where nothing was written
  std::vector<FakeFault> faults_;
  std::function<void(int, const StepBatch&)> before_step_;
  int n_steps_ = 0;
};

}  // namespace mie
