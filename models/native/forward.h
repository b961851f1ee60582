// The forward pass of a decoder, read top to bottom: five parallel regions a layer. One object per runner; used by the
// engine thread, which is compute thread 0. No allocation, no lock, no exception inside a region.
#pragma once

#include "models/model_runner.h"
#include "models/native/attention_plan.h"
#include "models/native/kv_pages.h"
#include "models/native/packed_model.h"
#include "models/native/rope_table.h"
#include "models/native/thread_pool.h"
#include "models/native/workspace.h"

#include <span>

namespace mie::native {

class Forward {
 public:
  Forward(const PackedModel& model, KvPages& kv, Workspace& work, ThreadPool& pool, const KernelTable& kernels,
          ComputeMode mode, const RopeTable& rope);

  // Writes K and V of every row and the logits of `batch.logits_rows`. REQUIRES: a ThreadPool::Step is alive; the batch
  // fits the workspace.
  void run(const StepBatch& batch);

  // Logits of the i-th logits row: [n_vocab], valid until the next run().
  [[nodiscard]] std::span<float> logits(int i) const;

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
  void project_logits(const StepBatch& batch);
  void add_to_residual(const ItemRows& out);

  [[nodiscard]] float* x(int row) const { return work_.x.data() + static_cast<std::ptrdiff_t>(row) * model_.spec.hidden; }
  [[nodiscard]] std::uint16_t* q(int row, int head) const {
    return work_.q.data() + (static_cast<std::ptrdiff_t>(row) * model_.spec.n_heads + head) * model_.spec.head_dim;
  }
  [[nodiscard]] const std::int32_t* table(const StepBatch& batch, int seq) const {
    return batch.block_tables.data() + static_cast<std::ptrdiff_t>(seq) * batch.max_blocks;
  }

  const PackedModel& model_;
  KvPages& kv_;
  Workspace& work_;
  ThreadPool& pool_;
  const KernelTable& kernels_;
  ComputeMode mode_;
  const RopeTable& rope_;
  AttentionPlan plan_;
  std::vector<std::int32_t> seq_of_row_;
};

}  // namespace mie::native
