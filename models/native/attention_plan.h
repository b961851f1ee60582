// Which pieces of attention a step computes, as items for the compute threads: the same list for every layer, made once a
// step from the batch's numbers. Buffers are reused: no allocation once they have grown.
#pragma once

#include "models/model_runner.h"
#include "models/native/kernels/kernel_table.h"

#include <vector>

namespace mie::native {

// Query tokens [row, row + n_rows) of one sequence against its positions from chunk `first_chunk` to before `last_chunk`.
struct AttnItem {
  int seq;
  int row;                      // batch row of the first token
  int n_rows;                   // tokens; 1 when the item is a part
  int first_chunk, last_chunk;  // of kAttnChunk positions
  int part;                     // ≥ 0: index among the parts of one decode row; -1: the item is the whole row
  int n_parts;
};

class AttentionPlan {
 public:
  // `group`: query heads per KV head. Long single rows are split by chunk when that gives otherwise idle threads work.
  void make(const StepBatch& batch, int group, int n_kv_heads, int n_threads);

  [[nodiscard]] const std::vector<AttnItem>& items() const { return items_; }
  // Parts over all split rows; slot of an item's partial result is `slots_[item] `.
  [[nodiscard]] int n_slots() const { return n_slots_; }
  [[nodiscard]] int slot(int item) const { return slots_[static_cast<std::size_t>(item)]; }

 private:
  std::vector<AttnItem> items_;
  std::vector<int> slots_;  // [items] first slot of the item's row
  int n_slots_ = 0;
};

}  // namespace mie::native
