// Plan and sequences → the arrays that a model runner takes. Each function replaces what its output held and uses its
// memory. Pure otherwise; any thread.
#pragma once

#include "core/sched/scheduler.h"
#include "core/sequence.h"
#include "models/model_runner.h"

#include <optional>
#include <span>
#include <vector>

namespace mie {

// One planned sequence and the KV blocks that the step took for it, which its table does not have yet.
struct PackRow {
  const Sequence* sequence;
  Scheduled scheduled;
  std::span<const BlockId> new_blocks;
  std::optional<BlockId> copied_from{};  // what the first new block begins with
  int n_told = 0;                        // its first rows that ran before an eviction and have told of the prompt

  // Rows that tell of the prompt token that follows them, where that is wanted; they come first. Worked example, prompt of 10,
  // evicted after 6 computed, then rows 0 … 7: rows 6 and 7 score tokens 7 and 8.
  [[nodiscard]] int first_scoring() const;
  [[nodiscard]] int n_scoring() const;
};

// Worked example, block_size 4: A (tokens a0…a5, table [7, 2], n_computed 5) decodes 1, B (b0 b1 b2, table [], new [9])
// prefills 3: the batch of the example in models/model_runner.h.
// REQUIRES: rows of the plan lie inside their sequences, and the blocks cover them.
void pack_batch(std::span<const PackRow> rows, StepBatch& batch);

// One per logits row, in order; of a sequence: each row that scores, the row that samples, each of its drafts as if those
// before it were generated. The spans view the sequences and are valid until their next commit.
void pack_sampling_rows(std::span<const PackRow> rows, std::vector<SamplingRow>& sampling);

}  // namespace mie
