#include "models/native/attention_plan.h"

#include <algorithm>

namespace mie::native {
namespace {

// Items per thread from which on splitting a row gains nothing.
constexpr int kEnoughItems = 4;

int chunks_of(int n_positions) { return (n_positions + kAttnChunk - 1) / kAttnChunk; }

}  // namespace

void AttentionPlan::make(const StepBatch& batch, int group, int n_kv_heads, int n_threads) {
  items_.clear();
  slots_.clear();
  n_slots_ = 0;
  const bool split = n_threads > 1 && batch.n_seqs() * n_kv_heads < kEnoughItems * n_threads;
  const int tokens_per_item = std::max(1, kAttnRows / group);
  for (int seq = 0; seq < batch.n_seqs(); ++seq) {
    const int begin = batch.row_starts[static_cast<std::size_t>(seq)],
              end = batch.row_starts[static_cast<std::size_t>(seq) + 1];
    for (int row = begin; row < end; row += tokens_per_item) {
      const int n_rows = std::min(tokens_per_item, end - row);
      const int n_chunks = chunks_of(batch.positions[static_cast<std::size_t>(row + n_rows - 1)] + 1);
      if (split && end - begin == 1 && n_chunks > 1) {
        for (int part = 0; part < n_chunks; ++part) {
          items_.push_back({seq, row, 1, part, part + 1, part, n_chunks});
          slots_.push_back(n_slots_);
        }
        n_slots_ += n_chunks;
      } else {
        items_.push_back({seq, row, n_rows, 0, n_chunks, -1, 1});
        slots_.push_back(0);
      }
    }
  }
}

}  // namespace mie::native
