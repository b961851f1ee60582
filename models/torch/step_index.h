// A StepBatch as index tensors, made once a step and shared by all layers. Values; engine thread.
#pragma once

#include "models/model_runner.h"
#include "models/torch/aten.h"

#include <vector>

namespace mie {

// b sequences with t query rows each, whose keys are padded to a common length l. Padding is at most double: decoding
// sequences are grouped by the power of two that holds their length; every other one is alone (b = 1).
// Worked example, block_size 4, two decodes at positions 5 (blocks 7, 2) and 4 (blocks 3, 9), l = 6:
//   slots [28 29 30 31 8 9 | 12 13 14 15 36 0]: the last one is padding, and key index 5 > position 4 hides it.
struct AttentionGroup {
  std::int64_t n_seqs = 0, n_rows = 0, n_keys = 0;  // b, t, l
  at::Tensor rows;                                  // [b * t] rows of the batch
  at::Tensor slots;                                 // [b * l] slot of each key
  at::Tensor unseen;  // [b, 1, t, l] true where the key lies after the query: the future, or padding
};

struct StepIndex {
  at::Tensor tokens, positions;  // [n]
  at::Tensor slots;              // [n] where K and V of each row go
  at::Tensor logits_rows;        // [m]
  std::vector<AttentionGroup> groups;
};

// REQUIRES: a well-formed batch whose block tables cover every position of its rows.
[[nodiscard]] StepIndex index_step(const StepBatch& batch, int block_size);

}  // namespace mie
