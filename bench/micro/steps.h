// Batches for a ModelRunner as the engine would pack them, with every sequence of one length, and pages taken in an order
// as after hours of service. Pure functions of plain numbers.
#pragma once

#include "models/model_runner.h"

#include <cstdint>
#include <vector>

namespace mie::bench {

struct SequenceSet {
  int n_seqs = 0;
  int block_size = 0;
  int n_blocks = 0;                    // of each sequence
  std::vector<std::int32_t> blocks{};  // [n_seqs, n_blocks]

  // Pages in seeded random order.
  static SequenceSet make(int n_seqs, int n_tokens, int block_size);
};

// One step of `set`: n_tokens of each sequence from position `first`. `sampled`: the last row of each has its logits taken.
[[nodiscard]] StepBatch step_of(const SequenceSet& set, int first, int n_tokens, bool sampled);

// Runs as many steps as it takes to write every page of the set, at most `max_rows` tokens each.
void fill_pages(ModelRunner& runner, const SequenceSet& set, int max_rows);

// One greedy row for each that the batch wants.
[[nodiscard]] std::vector<SamplingRow> greedy_rows(const StepBatch& batch);

}  // namespace mie::bench
