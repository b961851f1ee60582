// Sequences that grow while they are generated, on a live pool without a model: what it is worth not to reserve an answer's
// blocks before it is written. A step gives every running sequence a token, as the engine's does. The caller's thread.
#pragma once

#include "bench/kv/length_lists.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

struct GrowthRequest {
  int n_prompt = 0, n_output = 0;
};

// A length as a request: the first half is the prompt.
[[nodiscard]] std::vector<GrowthRequest> halves_of(std::span<const int> lengths);

// kWhole: a sequence starts once blocks for its prompt and its whole answer are free, and takes them; none is ever preempted.
// kGrowing: it starts once its prompt fits, and takes a block when it comes to one; when none is free, the sequence that was
// started last goes back to the head of the line without its blocks, and computes all its tokens again later.
enum class Reserve { kWhole, kGrowing };

struct GrowthSetting {
  int block_size = 0, n_blocks = 0;
  Reserve reserve = Reserve::kWhole;
};

struct GrowthFigures {
  std::int64_t n_steps = 0;
  std::int64_t n_sampled = 0;     // tokens of all answers
  std::int64_t n_computed = 0;    // tokens whose K and V were computed …
  std::int64_t n_recomputed = 0;  // … of these, not for the first time
  std::int64_t n_preemptions = 0;
  int most_running = 0;
  double mean_running = 0;      // sequences of a step
  double mean_utilisation = 0;  // used ÷ all blocks after each step
  double mean_waste = 0;        // empty ÷ all slots of used blocks after each step
  int n_free_at_end = 0;
};

// All requests wait from the start. REQUIRES: each fits the pool alone.
[[nodiscard]] GrowthFigures grow(std::span<const GrowthRequest> requests, const GrowthSetting& setting);

struct GrowthRow {
  std::string list;
  GrowthSetting setting{};
  GrowthFigures figures{};
  std::int64_t expected_sampled = 0, expected_first_computed = 0;  // in closed form

  // Whatever was preempted: every answer is whole, each of its tokens but the last was computed once at least, and the pool
  // is free.
  [[nodiscard]] bool conserves() const;
};

// Each list of lengths in pages of 16 and 32 under both rules, and contiguous, in the table's memory.
[[nodiscard]] std::vector<GrowthRow> growth_rows(std::span<const LengthList> lists);

}  // namespace mie::bench
