// The forward pass of a decoder, read top to bottom: five parallel regions a layer. One object per runner; used by the
// engine thread, which is compute thread 0. No allocation, no lock, no exception inside a region.
#pragma once

#include "models/layer_tap.h"
#include "models/model_runner.h"
#include "models/native/attention_plan.h"
#include "models/native/kv_pages.h"
#include "models/native/packed_model.h"
#include "models/native/rope_table.h"
#include "models/native/switches.h"
#include "models/native/thread_pool.h"
#include "models/native/workspace.h"

#include <span>

namespace mie::native {

struct ForwardOptions {
  ComputeMode mode;
  int n_tokens;  // ids from here on are never sampled
  Switches switches;
  LayerTap* tap;  // sees every tensor; null: nobody does
};

class Forward {
 public:
  Forward(const PackedModel& model, KvPages& kv, Workspace& work, ThreadPool& pool, const KernelTable& kernels,
          ForwardOptions options, const RopeTable& rope);

  // Copies the pages to be copied and writes K and V of every row. REQUIRES: a ThreadPool::Step is alive; the batch fits the
  // workspace.
  void run(const StepBatch& batch);

  // The logits of these rows of the last run() or, where a row of sampling takes the best of them unchanged, only which that
  // is. REQUIRES: as run(); one of `sampling` for each row; no more rows than the workspace has logits for.
  void project_logits(std::span<const std::int32_t> rows, std::span<const SamplingRow> sampling);

  // Of the i-th of these rows, valid until the next call.
  [[nodiscard]] bool only_best(int i) const { return only_best_[static_cast<std::size_t>(i)] != 0; }
  [[nodiscard]] BestLogit best(int i) const;           // REQUIRES: only_best(i)
  [[nodiscard]] std::span<float> logits(int i) const;  // [n_vocab]. REQUIRES: !only_best(i)

 private:
  void embed(const StepBatch& batch);
  void norm(const StepBatch& batch, std::span<const float> weight);
  void project_qkv(const StepBatch& batch, int layer);
  void store_head(const StepBatch& batch, int layer, const ItemRows& out);
  void attend(const StepBatch& batch, int layer);
  void attend_item(const StepBatch& batch, int layer, int item, int kv_head, int thread);
  void attend_rows(const StepBatch& batch, const KvHead& kv, const AttnItem& item, int kv_head, int first, int n, int thread);
  void finish_parts(const AttnItem& item, int slot, int kv_head, int thread);
  void project_attn(const StepBatch& batch, int layer);
  void feed_forward(const StepBatch& batch, int layer);
  void take_logits(const ItemRows& out);

  // The product for all rows of an operator's input, for some at a time or for each by itself.
  template <class Epilogue>
  void multiply(const FusedLinear& op, const ActBuffer& in, int n_rows, Epilogue&& epilogue) {
    const int at_once = options_.switches.rows == Switches::Rows::kAlone ? 1 : n_rows;
    for (int row = 0; row < n_rows; row += at_once)
      run_linear(op, kernels_, options_.mode, {in, op.k, row, at_once}, pool_, work_.tiles, epilogue);
  }
  void add_to_residual(const ItemRows& out);

  // Shows the tap what was just computed (forward_tap.cpp). What the step does not keep is computed once more with the same
  // kernels, so that its bits are the step's and the operators know of no tap.
  void show(TapPoint point, const StepBatch& batch, int layer = -1) {
    if (options_.tap != nullptr) [[unlikely]]
      show_values(point, batch, layer);
  }
  void show_values(TapPoint point, const StepBatch& batch, int layer);
  void show_logits(std::span<const std::int32_t> rows);  // of project_logits
  std::span<const float> shown_values(TapPoint point, const StepBatch& batch, int layer);
  void keep_attended(const AttnItem& item, int kv_head, int first, std::span<const float> heads);
  std::span<const float> shown_norm(std::span<const std::int32_t> rows, std::span<const float> weight);
  std::span<const float> shown_queries(int n_rows);
  std::span<const float> shown_cache(const StepBatch& batch, int layer, TapPoint point);
  std::span<const float> shown_product(const FusedLinear& op, const ActBuffer& in, int n_rows, int width);
  // Where the tap looks for the attention output of a row's first head; the others follow.
  [[nodiscard]] float* attended(int row) {
    return attended_.data() + std::ptrdiff_t{row} * model_.spec.n_heads * model_.spec.head_dim;
  }

  // Parts of a split row that are not finished yet.
  [[nodiscard]] std::atomic<int>& parts_left(int row, int kv_head) const {
    const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(model_.spec.n_kv_heads);
    return work_.parts_left[first + static_cast<std::size_t>(kv_head)];
  }
  [[nodiscard]] float* x(int row) const { return work_.x.data() + static_cast<std::ptrdiff_t>(row) * model_.spec.hidden; }
  // The query heads of a KV head follow each other, then those of the next row: the rows of an attention item are adjacent.
  [[nodiscard]] std::uint16_t* q(int row, int head) const {
    const int group = model_.spec.n_heads / model_.spec.n_kv_heads;
    const std::ptrdiff_t max_rows = static_cast<std::ptrdiff_t>(work_.x.size()) / model_.spec.hidden;
    return work_.q.data() + ((head / group * max_rows + row) * group + head % group) * model_.spec.head_dim;
  }
  [[nodiscard]] const std::int32_t* table(const StepBatch& batch, int seq) const {
    return batch.block_tables.data() + static_cast<std::ptrdiff_t>(seq) * batch.max_blocks;
  }

  const PackedModel& model_;
  KvPages& kv_;
  Workspace& work_;
  ThreadPool& pool_;
  const KernelTable& kernels_;
  ForwardOptions options_;
  const RopeTable& rope_;
  AttentionPlan plan_;
  std::vector<std::int32_t> seq_of_row_;
  std::vector<char> only_best_;  // [rows of project_logits]

  // Empty without a tap.
  std::vector<std::int32_t> all_rows_;   // 0, 1, … of the batch
  std::vector<float> shown_, attended_;  // [rows, width of the point], [rows, n_heads, head_dim]
};

}  // namespace mie::native
