// The seam between the engine and whatever computes logits: plain numbers in, sampled tokens out; no tensor type.
// Implementations: native, torch, fake_runner. A runner owns the KV memory (n_blocks pages of block_size tokens) that the
// block tables point into. Used by the engine thread only.
#pragma once

#include "core/base/id.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace mie {

// Block ids.
struct BlockCopy {
  std::int32_t from, to;
};

// One step's work: a ragged batch of n tokens from n_seqs sequences, row i of the batch being token i.
// Worked example, block_size 4: sequence A decodes its 6th token (position 5), sequence B prefills 3 tokens:
//   tokens [a5, b0, b1, b2]   positions [5, 0, 1, 2]   row_starts [0, 1, 4]
//   block_tables [[7, 2], [9, -1]]  →  a5 is written to block 2, slot 1; b2 to block 9, slot 2
//   logits_rows [0, 3] when both sample.
struct StepBatch {
  std::vector<std::int32_t> tokens, positions;  // [n]
  std::vector<std::int32_t> row_starts;         // [n_seqs + 1], ascending, first 0, last n
  std::vector<std::int32_t> block_tables;       // [n_seqs, max_blocks], -1 padded
  std::int32_t max_blocks = 0;                  // width of block_tables
  std::vector<BlockCopy> copies{};              // of whole pages, done before a row is written
  std::vector<std::int32_t> logits_rows;        // rows whose logits are sampled; one SamplingRow each, same order

  [[nodiscard]] int n_tokens() const { return static_cast<int>(tokens.size()); }
  [[nodiscard]] int n_seqs() const { return static_cast<int>(row_starts.size()) - 1; }
};

struct LogitBias {
  TokenId token;
  float bias = 0;  // -100 bans the token
};

// How to turn one row of logits into a token, or what to tell of a token that is known. Spans are views into the request;
// valid during run() only. Order: mask of ids without a token, banned, penalties, bias, temperature, top_k, top_p, min_p, draw.
struct SamplingRow {
  float temperature = 1;  // 0 = greedy: highest logit, ties to the lowest id
  float top_p = 1;
  float min_p = 0;
  std::int32_t top_k = 0;  // 0 = off
  float presence_penalty = 0;
  float frequency_penalty = 0;
  float repetition_penalty = 1;
  std::uint64_t seed = 0;            // the draw is a function of (seed, position) alone
  std::int64_t position = 0;         // absolute position of the token that is being sampled
  std::int32_t n_top_logprobs = -1;  // -1: no logprobs wanted; k ≥ 0: the sampled one and the k best
  // The token that follows, where it is known: nothing is drawn, Sampled tells of this one. Needs n_top_logprobs ≥ 0; all
  // other parameters are without effect.
  std::optional<TokenId> score{};
  std::span<const LogitBias> logit_bias{};
  std::span<const TokenId> banned{};     // masked this step (min_tokens: EOS and stop ids)
  std::span<const TokenId> prompt{};     // for repetition_penalty
  std::span<const TokenId> generated{};  // for all three penalties
};

struct TopLogprob {
  TokenId token;
  float logprob = 0;
};

struct Sampled {
  TokenId token;
  float logprob = 0;            // log-softmax of the raw logits; set when n_top_logprobs ≥ 0
  std::vector<TopLogprob> top;  // n_top_logprobs entries, best first, ties by id
  std::int32_t rank = 0;        // of a scored token: 1 for the best logit, ties by id
};

class ModelRunner {
 public:
  virtual ~ModelRunner() = default;

  // Writes K,V of every row, then samples logits_rows into `sampled`, in order. Blocks until done. A throw leaves the KV of
  // this batch's rows and `sampled` undefined and everything else untouched. Every row may want logits: a runner holds those of
  // some rows at a time.
  // REQUIRES: rows.size() == sampled.size() == batch.logits_rows.size(); every block id in range; every position below the
  // longest sequence that the runner was made for. ENSURES: bits of a row do not depend on the rest of the batch (native),
  // tokens do not (torch, up to rounding).
  virtual void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) = 0;
};

// Thrown by run() when logits are not finite or a kernel failed for this batch only; the next step may work.
class ModelStepError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown by run() when the device is lost for good: the engine goes unhealthy and the process exits with 70.
class DeviceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mie
