#include "models/native/forward.h"

#include "models/weights/half_float.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace mie::native {

void Forward::show_values(TapPoint point, const StepBatch& batch, int layer) {
  if (point == TapPoint::kEmbed) {  // the first of a step
    all_rows_.resize(batch.tokens.size());
    std::iota(all_rows_.begin(), all_rows_.end(), 0);
    attended_.resize(batch.tokens.size() * static_cast<std::size_t>(model_.spec.n_heads * model_.spec.head_dim));
  }
  options_.tap->see({point, layer, all_rows_, shown_values(point, batch, layer)});
}

void Forward::show_logits(std::span<const std::int32_t> rows) {
  options_.tap->see({TapPoint::kFinalNorm, -1, rows, shown_norm(rows, model_.output_norm)});
  const auto n = static_cast<int>(rows.size());
  options_.tap->see({TapPoint::kLogits, -1, rows, shown_product(model_.head, work_.head_in, n, model_.spec.n_vocab)});
}

std::span<const float> Forward::shown_values(TapPoint point, const StepBatch& batch, int layer) {
  const PackedLayer* weights = layer < 0 ? nullptr : &model_.layers[static_cast<std::size_t>(layer)];
  switch (point) {
    case TapPoint::kEmbed:
    case TapPoint::kResidualMid:
    case TapPoint::kResidual:
      return work_.x.first(all_rows_.size() * static_cast<std::size_t>(model_.spec.hidden));
    case TapPoint::kAttnNorm:
      return shown_norm(all_rows_, weights->attn_norm);
    case TapPoint::kQ:
      return shown_queries(batch.n_tokens());
    case TapPoint::kK:
    case TapPoint::kV:
      return shown_cache(batch, layer, point);
    case TapPoint::kAttnOut:
      return attended_;
    case TapPoint::kFfnNorm:
      return shown_norm(all_rows_, weights->ffn_norm);
    case TapPoint::kFfnOut:
      return shown_product(weights->down, work_.ffn_in, batch.n_tokens(), model_.spec.hidden);
    case TapPoint::kFinalNorm:
    case TapPoint::kLogits:
      break;  // show_logits
  }
  return {};
}

// `heads`: of the item's query rows from `first` on, in the order of attend_rows.
void Forward::keep_attended(const AttnItem& item, int kv_head, int first, std::span<const float> heads) {
  const int group = model_.spec.n_heads / model_.spec.n_kv_heads, head_dim = model_.spec.head_dim;
  for (int i = 0; i * head_dim < static_cast<int>(heads.size()); ++i) {
    const int row = item.row + (first + i) / group, head = kv_head * group + (first + i) % group;
    std::copy_n(heads.data() + std::ptrdiff_t{i} * head_dim, head_dim, attended(row) + std::ptrdiff_t{head} * head_dim);
  }
}

std::span<const float> Forward::shown_norm(std::span<const std::int32_t> rows, std::span<const float> weight) {
  const int hidden = model_.spec.hidden;
  shown_.resize(rows.size() * static_cast<std::size_t>(hidden));
  float* out = shown_.data();
  for (const std::int32_t row : rows) {
    kernels_.rms_norm_row(x(row), weight.data(), hidden, model_.spec.norm_eps, out);
    out += hidden;
  }
  return shown_;
}

std::span<const float> Forward::shown_queries(int n_rows) {
  const int head_dim = model_.spec.head_dim;
  shown_.clear();
  for (int row = 0; row < n_rows; ++row) {
    for (int head = 0; head < model_.spec.n_heads; ++head) {
      const std::uint16_t* stored = q(row, head);
      std::transform(stored, stored + head_dim, std::back_inserter(shown_), bf16_to_f32);
    }
  }
  return shown_;
}

// K (or V) of each row from the page that its block table names: the inverse of KvPages::store_key and store_value.
std::span<const float> Forward::shown_cache(const StepBatch& batch, int layer, TapPoint point) {
  const bool is_key = point == TapPoint::kK;
  shown_.clear();
  for (int row = 0; row < batch.n_tokens(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    for (int head = 0; head < model_.spec.n_kv_heads; ++head) {
      const KvHead kv = kv_.head(layer, head, table(batch, seq_of_row_[r]));
      for (int d = 0; d < kv.head_dim; ++d) {
        const std::uint16_t stored =
            is_key ? KvPages::key(kv, batch.positions[r], d) : KvPages::value(kv, batch.positions[r], d);
        shown_.push_back(bf16_to_f32(stored));
      }
    }
  }
  return shown_;
}

std::span<const float> Forward::shown_product(const FusedLinear& op, const ActBuffer& in, int n_rows, int width) {
  const auto stride = static_cast<std::size_t>(width);
  shown_.resize(static_cast<std::size_t>(n_rows) * stride);
  run_linear(op, kernels_, options_.mode, {in, op.k, 0, n_rows}, pool_, work_.tiles, [&](const ItemRows& out) {
    const int first = out.item * kPanel;
    for (int r = 0; r < out.n_rows && first < width; ++r) {
      float* to = shown_.data() + static_cast<std::size_t>(out.row + r) * stride + static_cast<std::size_t>(first);
      std::copy_n(out.at(0, r), std::min(kPanel, width - first), to);
    }
  });
  return shown_;
}

}  // namespace mie::native
