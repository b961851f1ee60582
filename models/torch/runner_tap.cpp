#include "models/torch/runner.h"

#include <numeric>

namespace mie {

void TorchRunner::begin_showing(const StepBatch& batch) {
  all_rows_.resize(batch.tokens.size());
  std::iota(all_rows_.begin(), all_rows_.end(), 0);
}

void TorchRunner::show_logits(std::span<const std::int32_t> rows, const at::Tensor& normed, const at::Tensor& logits) {
  logits_rows_.assign(rows.begin(), rows.end());
  show_values(TapPoint::kFinalNorm, normed, -1);
  show_values(TapPoint::kLogits, logits, -1);
}

void TorchRunner::show_values(TapPoint point, const at::Tensor& values, int layer) {
  const at::Tensor flat = values.to(at::kFloat).contiguous();
  const std::span<const float> numbers(flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel()));
  options_.tap->see({point, layer, point >= TapPoint::kFinalNorm ? logits_rows_ : all_rows_, numbers});
}

// Queries as computed, K and V as the cache gives them back. q [n, n_heads, head_dim].
void TorchRunner::show_heads(int layer, const StepIndex& step, const at::Tensor& q) {
  const KvCache::Gathered cached = cache_.read(layer, step.slots, at::kFloat);
  show_values(TapPoint::kQ, with_half_pairs(q), layer);
  show_values(TapPoint::kK, with_half_pairs(cached.k.transpose(0, 1)), layer);
  show_values(TapPoint::kV, cached.v.transpose(0, 1), layer);
}

// Pairs (2i, 2i + 1) become (i, i + d/2). heads [n, h, head_dim].
at::Tensor TorchRunner::with_half_pairs(const at::Tensor& heads) const {
  if (spec_.rope.pairing == RopePairing::kHalf) return heads;
  const std::int64_t n_dims = spec_.rope.n_rotary_dims, n_rest = heads.size(-1) - n_dims;
  const at::Tensor turning = heads.narrow(-1, 0, n_dims).unflatten(-1, {n_dims / 2, 2}).transpose(-1, -2).flatten(-2);
  return n_rest == 0 ? turning : at::cat({turning, heads.narrow(-1, n_dims, n_rest)}, -1);
}

}  // namespace mie
