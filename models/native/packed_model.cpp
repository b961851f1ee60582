#include "models/native/packed_model.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mie::native {
namespace {

using Rows = std::vector<SourceRow>;

// Finds the tensors of a plan by role, and lays their rows out in the order in which outputs are wanted.
class RowPlanner {
 public:
  RowPlanner(const ModelPlan& plan, const WeightSource& source) : plan_(plan), source_(source) {}

  [[nodiscard]] const TensorView* tensor(TensorRole role, int layer = -1) const {
    const auto slot = std::find_if(plan_.tensors.begin(), plan_.tensors.end(),
                                   [&](const TensorSlot& s) { return s.role == role && s.layer == layer; });
    return slot == plan_.tensors.end() ? nullptr : source_.find(slot->name);
  }

  [[nodiscard]] Rows rows(TensorRole role, int layer = -1) const {
    const TensorView* view = tensor(role, layer);
    ENSURE(view != nullptr, "the plan names every tensor of the forward pass");
    const auto n = static_cast<std::size_t>(view->shape.front());
    const std::size_t row_bytes = view->bytes.size() / n;
    Rows rows(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {view->format, view->bytes.data() + i * row_bytes};
    pad(rows);
    return rows;
  }

  // Q or K with the rotary pairs of each head half a head apart. Files of the Llama family hold them adjacent; since Q and K
  // move alike, their products stay. Example, head of 4: file rows 0 1 2 3 (pairs 0-1, 2-3) become 0 2 1 3.
  [[nodiscard]] Rows rotary_rows(TensorRole role, int layer) const {
    Rows rows = this->rows(role, layer);
    if (plan_.spec.rope.pairing == RopePairing::kHalf) return rows;
    const auto dim = static_cast<std::size_t>(plan_.spec.head_dim);
    const auto half = static_cast<std::size_t>(plan_.spec.rope.n_rotary_dims) / 2;
    Rows moved = rows;
    for (std::size_t head = 0; head + dim <= rows.size(); head += dim) {
      for (std::size_t i = 0; i < half; ++i) {
        moved[head + i] = rows[head + 2 * i];
        moved[head + half + i] = rows[head + 2 * i + 1];
      }
    }
    return moved;
  }

  [[nodiscard]] Rows qkv(int layer) const {
    Rows all = rotary_rows(TensorRole::kQ, layer);
    for (const Rows& part : {rotary_rows(TensorRole::kK, layer), rows(TensorRole::kV, layer)}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  [[nodiscard]] Rows gate_up(int layer) const {
    const Rows gate = rows(TensorRole::kGate, layer), up = rows(TensorRole::kUp, layer);
    Rows all;
    for (std::size_t i = 0; i < gate.size(); i += kPanel) {
      all.insert(all.end(), gate.begin() + static_cast<std::ptrdiff_t>(i),
                 gate.begin() + static_cast<std::ptrdiff_t>(i + kPanel));
      all.insert(all.end(), up.begin() + static_cast<std::ptrdiff_t>(i), up.begin() + static_cast<std::ptrdiff_t>(i + kPanel));
    }
    return all;
  }

 private:
  static void pad(Rows& rows) {
    const QuantFormat format = rows.back().format;
    while (rows.size() % kPanel != 0) rows.push_back({format, nullptr});
  }

  const ModelPlan& plan_;
  const WeightSource& source_;
};

Result<void> check_shape(const ModelSpec& spec) {
  const auto refuse = [](const char* what, int value) {
    return Error{Errc::kModelFormat,
                 std::string("the native backend needs ") + what + " to be a multiple of 32, got " + std::to_string(value),
                 {}};
  };
  if (spec.hidden % kGroup != 0) return refuse("the hidden size", spec.hidden);
  if (spec.ffn_hidden % kGroup != 0) return refuse("the feed-forward size", spec.ffn_hidden);
  if (spec.head_dim % kGroup != 0) return refuse("the head size", spec.head_dim);
  if (spec.rope.n_rotary_dims % kGroup != 0) return refuse("the number of rotary dimensions", spec.rope.n_rotary_dims);
  if (spec.activation != Activation::kSilu)
    return Error{Errc::kModelFormat, "the native backend knows the SiLU activation only", {}};
  return {};
}

std::size_t arena_size(const RowPlanner& planner, const ModelSpec& spec) {
  const int attn_width = spec.n_heads * spec.head_dim;
  std::size_t total = Arena::padded(static_cast<std::size_t>(spec.hidden) * 4);
  for (int layer = 0; layer < spec.n_layers; ++layer) {
    total += packed_bytes(planner.qkv(layer), spec.hidden) +
             packed_bytes(planner.rows(TensorRole::kAttnOut, layer), attn_width) +
             packed_bytes(planner.gate_up(layer), spec.hidden) +
             packed_bytes(planner.rows(TensorRole::kDown, layer), spec.ffn_hidden) +
             2 * Arena::padded(static_cast<std::size_t>(spec.hidden) * 4);
  }
  total += packed_bytes(planner.rows(TensorRole::kEmbedding), spec.hidden);
  if (!spec.tied_embeddings) total += packed_bytes(planner.rows(TensorRole::kOutput), spec.hidden);
  return total;
}

std::span<const float> pack_norm(const TensorView& view, Arena& arena) {
  const auto out = arena.take_array<float>(static_cast<std::size_t>(view.n_elements()));
  dequantise(view.format, view.bytes, out);
  return out;
}

}  // namespace

std::int64_t PackedModel::step_bytes() const {
  std::size_t total = head.weight_bytes();
  for (const PackedLayer& layer : layers) {
    total +=
        layer.qkv.weight_bytes() + layer.attn_out.weight_bytes() + layer.gate_up.weight_bytes() + layer.down.weight_bytes();
  }
  return static_cast<std::int64_t>(total);
}

void PackedModel::embed(int token, float* out) const {
  const auto& panel = embedding.panels[static_cast<std::size_t>(token / kPanel)];
  packer(panel.format).unpack_column(panel.data, embedding.k, token % kPanel, out);
}

Result<PackedModel> pack_model(const ModelPlan& plan, const WeightSource& source, ThreadPool& pool,
                               const PackProgress& progress) {
  const ModelSpec& spec = plan.spec;
  if (auto ok = check_shape(spec); !ok) return ok.error();
  const RowPlanner planner(plan, source);
  const std::size_t total = arena_size(planner, spec);
  auto arena = Arena::reserve(total);
  if (!arena) return arena.error();
  PackedModel model{spec, {}, {}, {}, {}, std::move(*arena)};

  const ThreadPool::Step awake(pool);
  const auto packed = [&](const Rows& rows, int k, int panels_per_item) {
    auto op = pack_fused(rows, k, panels_per_item, model.arena, pool);
    progress(static_cast<std::int64_t>(model.arena.used_bytes()), static_cast<std::int64_t>(total));
    return op;
  };
  const int head_panels = spec.head_dim / kPanel;
  for (int layer = 0; layer < spec.n_layers; ++layer) {
    PackedLayer& to = model.layers.emplace_back();
    to.attn_norm = pack_norm(*planner.tensor(TensorRole::kAttnNorm, layer), model.arena);
    to.qkv = packed(planner.qkv(layer), spec.hidden, head_panels);
    to.attn_out = packed(planner.rows(TensorRole::kAttnOut, layer), spec.n_heads * spec.head_dim, 1);
    to.ffn_norm = pack_norm(*planner.tensor(TensorRole::kFfnNorm, layer), model.arena);
    to.gate_up = packed(planner.gate_up(layer), spec.hidden, 2);
    to.down = packed(planner.rows(TensorRole::kDown, layer), spec.ffn_hidden, 1);
  }
  model.output_norm = pack_norm(*planner.tensor(TensorRole::kOutputNorm), model.arena);
  model.embedding = packed(planner.rows(TensorRole::kEmbedding), spec.hidden, 1);
  model.head = spec.tied_embeddings ? model.embedding : packed(planner.rows(TensorRole::kOutput), spec.hidden, 1);
  return model;
}

}  // namespace mie::native
