#include "models/torch/weights.h"

#include "core/base/ensure.h"
#include "models/weights/quant_format.h"

#include <algorithm>

namespace mie {
namespace {

constexpr std::int64_t kRowsAtOnce = 1024;  // bounds the fp32 scratch; one progress report each

TorchWeights allocate(const ModelSpec& spec, at::ScalarType compute) {
  const auto norm = [&] { return at::empty({spec.hidden}, at::kFloat); };
  const auto matrix = [&](std::int64_t out, std::int64_t in, at::ScalarType type) { return at::empty({out, in}, type); };
  const std::int64_t q_width = std::int64_t{spec.n_heads} * spec.head_dim;
  const std::int64_t kv_width = std::int64_t{spec.n_kv_heads} * spec.head_dim;
  TorchWeights weights;
  weights.embedding = matrix(spec.n_vocab, spec.hidden, at::kFloat);
  weights.output = spec.tied_embeddings ? weights.embedding : matrix(spec.n_vocab, spec.hidden, at::kFloat);
  weights.output_norm = norm();
  for (int layer = 0; layer < spec.n_layers; ++layer) {
    weights.layers.push_back({.attn_norm = norm(),
                              .qkv = matrix(q_width + 2 * kv_width, spec.hidden, compute),
                              .attn_out = matrix(spec.hidden, q_width, compute),
                              .ffn_norm = norm(),
                              .gate_up = matrix(2 * std::int64_t{spec.ffn_hidden}, spec.hidden, compute),
                              .down = matrix(spec.hidden, spec.ffn_hidden, compute)});
  }
  return weights;
}

// Where a slot's rows go: a whole tensor or the rows of a joined one.
at::Tensor destination(TorchWeights& weights, const ModelSpec& spec, const TensorSlot& slot) {
  const std::int64_t q_width = std::int64_t{spec.n_heads} * spec.head_dim;
  const std::int64_t kv_width = std::int64_t{spec.n_kv_heads} * spec.head_dim;
  const auto layer = [&]() -> TorchLayer& { return weights.layers.at(static_cast<std::size_t>(slot.layer)); };
  switch (slot.role) {
    case TensorRole::kEmbedding:
      return weights.embedding;
    case TensorRole::kOutputNorm:
      return weights.output_norm;
    case TensorRole::kOutput:
      return weights.output;
    case TensorRole::kAttnNorm:
      return layer().attn_norm;
    case TensorRole::kQ:
      return layer().qkv.narrow(0, 0, q_width);
    case TensorRole::kK:
      return layer().qkv.narrow(0, q_width, kv_width);
    case TensorRole::kV:
      return layer().qkv.narrow(0, q_width + kv_width, kv_width);
    case TensorRole::kAttnOut:
      return layer().attn_out;
    case TensorRole::kFfnNorm:
      return layer().ffn_norm;
    case TensorRole::kGate:
      return layer().gate_up.narrow(0, 0, spec.ffn_hidden);
    case TensorRole::kUp:
      return layer().gate_up.narrow(0, spec.ffn_hidden, spec.ffn_hidden);
    case TensorRole::kDown:
      return layer().down;
  }
  ENSURE(false, "a tensor role without a place");
}

class Loading {
 public:
  Loading(std::int64_t total_bytes, const LoadProgress& progress) : total_bytes_(total_bytes), progress_(progress) {}

  // `to`: [rows, columns] or [columns].
  void expand(const TensorView& from, const at::Tensor& to) {
    const std::int64_t columns = to.size(-1);
    const at::Tensor rows = to.view({-1, columns});
    ENSURE(rows.numel() == from.n_elements(), "tensor " + from.name + " differs from its plan");
    const std::int64_t row_bytes = stored_bytes(from.format, columns);
    for (std::int64_t first = 0; first < rows.size(0); first += kRowsAtOnce) {
      const std::int64_t n_rows = std::min(kRowsAtOnce, rows.size(0) - first);
      const auto bytes =
          from.bytes.subspan(static_cast<std::size_t>(first * row_bytes), static_cast<std::size_t>(n_rows * row_bytes));
      at::Tensor scratch = at::empty({n_rows, columns}, at::kFloat);
      dequantise(from.format, bytes, {scratch.data_ptr<float>(), static_cast<std::size_t>(scratch.numel())});
      rows.narrow(0, first, n_rows).copy_(scratch);
      done_bytes_ += n_rows * row_bytes;
      if (progress_) progress_(done_bytes_, total_bytes_);
    }
  }

 private:
  std::int64_t total_bytes_, done_bytes_ = 0;
  const LoadProgress& progress_;
};

}  // namespace

Result<TorchWeights> load_weights(const ModelPlan& plan, const WeightSource& source, at::ScalarType compute,
                                  const LoadProgress& progress) {
  std::int64_t total_bytes = 0;
  for (const TensorSlot& slot : plan.tensors) {
    const TensorView* view = source.find(slot.name);
    if (view == nullptr) return Error{Errc::kModelFormat, "the model lacks tensor " + slot.name};
    total_bytes += static_cast<std::int64_t>(view->bytes.size());
  }
  TorchWeights weights = allocate(plan.spec, compute);
  Loading loading(total_bytes, progress);
  for (const TensorSlot& slot : plan.tensors) {
    loading.expand(*source.find(slot.name), destination(weights, plan.spec, slot));
  }
  return weights;
}

}  // namespace mie
