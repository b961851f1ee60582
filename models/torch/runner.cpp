#include "models/torch/runner.h"

#include "core/base/ensure.h"
#include "models/torch/attention.h"

#include <algorithm>
#include <utility>

namespace mie {
namespace {

constexpr std::size_t kLogitsAtOnce = 64;  // rows: bounds the logits to 64 * n_vocab numbers

}  // namespace

at::ScalarType scalar_type(TorchDtype dtype) {
  ENSURE(dtype != TorchDtype::kAuto, "dtype is not resolved");
  return dtype == TorchDtype::kBFloat16 ? at::kBFloat16 : at::kFloat;
}

TorchRunner::TorchRunner(const ModelSpec& spec, TorchWeights weights, const TorchOptions& options)
    : spec_(spec),
      options_(options),
      compute_(scalar_type(options.dtype)),
      weights_(std::move(weights)),
      rotary_(spec.rope, spec.context_length),
      cache_(spec, options, scalar_type(options.kv_dtype)),
      sampler_(spec.n_vocab, options.n_tokens) {}

void TorchRunner::run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) {
  check(batch, rows);
  ENSURE(sampled.size() == rows.size(), "a place for every answer");
  const c10::InferenceMode no_gradients;
  at::set_num_threads(options_.n_threads);  // OpenMP keeps the count per thread; nothing else may have set this one's
  // libtorch's exception type means nothing outside this library, so it leaves as one that the engine knows.
  try {
    step(batch, rows, sampled);
  } catch (const c10::Error& error) {
    throw ModelStepError(std::string("libtorch: ") + error.what_without_backtrace());
  }
}

void TorchRunner::check(const StepBatch& batch, std::span<const SamplingRow> rows) const {
  ENSURE(rows.size() == batch.logits_rows.size(), "one SamplingRow per logits row");
  ENSURE(batch.n_seqs() >= 1 && batch.n_tokens() >= 1, "an empty batch");
  ENSURE(batch.positions.size() == batch.tokens.size() && batch.row_starts.back() == batch.n_tokens(), "ragged batch");
  for (const auto token : batch.tokens) ENSURE(token >= 0 && token < spec_.n_vocab, "token outside the vocabulary");
  for (const auto at : batch.positions) ENSURE(at >= 0 && at < spec_.context_length, "position outside the context");
  for (const auto block : batch.block_tables) ENSURE(block >= -1 && block < options_.n_blocks, "block outside the cache");
  for (const auto& copy : batch.copies) {
    ENSURE(std::min(copy.from, copy.to) >= 0 && std::max(copy.from, copy.to) < options_.n_blocks, "block outside the cache");
  }
  for (const auto row : batch.logits_rows) ENSURE(row >= 0 && row < batch.n_tokens(), "logits row outside the batch");
}

void TorchRunner::step(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) {
  const StepIndex index = index_step(batch, options_.block_size);
  for (const BlockCopy& copy : batch.copies) {
    const std::int64_t n = options_.block_size;
    cache_.copy(copy.from * n, copy.to * n, n);
  }
  if (options_.tap != nullptr) [[unlikely]]
    begin_showing(batch);
  const at::Tensor hidden = forward(index);
  if (!at::isfinite(hidden).all().item<bool>()) {
    cache_.erase(index.slots);
    throw ModelStepError("the hidden state of a row is not finite");
  }
  for (std::size_t first = 0; first < rows.size(); first += kLogitsAtOnce) {
    const std::size_t n = std::min(kLogitsAtOnce, rows.size() - first);
    const at::Tensor some = index.logits_rows.narrow(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(n));
    const at::Tensor last = rms_norm(at::index_select(hidden, 0, some), weights_.output_norm, spec_.norm_eps);
    const at::Tensor logits = at::linear(last, weights_.output);
    if (options_.tap != nullptr) show_logits(std::span(batch.logits_rows).subspan(first, n), last, logits);
    sample(logits, rows.subspan(first, n), sampled.subspan(first, n));
  }
}

// → [n, hidden], before the last norm. The residual stream x stays fp32; matrix products run in the compute type.
at::Tensor TorchRunner::forward(const StepIndex& step) {
  at::Tensor x = at::embedding(weights_.embedding, step.tokens);
  show(TapPoint::kEmbed, x);
  const RotaryAngles angles = rotary_.at_positions(step.positions);
  for (int layer = 0; layer < spec_.n_layers; ++layer) {
    const TorchLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
    const at::Tensor attn_in = rms_norm(x, weights.attn_norm, spec_.norm_eps);
    show(TapPoint::kAttnNorm, attn_in, layer);
    x = x + self_attention(layer, attn_in.to(compute_), step, angles);
    show(TapPoint::kResidualMid, x, layer);
    const at::Tensor ffn_in = rms_norm(x, weights.ffn_norm, spec_.norm_eps);
    show(TapPoint::kFfnNorm, ffn_in, layer);
    const at::Tensor gate_up = at::linear(ffn_in.to(compute_), weights.gate_up);
    const at::Tensor ffn_out = at::linear(gated(gate_up.to(at::kFloat), spec_.activation).to(compute_), weights.down);
    show(TapPoint::kFfnOut, ffn_out, layer);
    x = x + ffn_out;
    show(TapPoint::kResidual, x, layer);
  }
  return x;
}

// logits [m, n_vocab] fp32, overwritten.
void TorchRunner::sample(const at::Tensor& logits, std::span<const SamplingRow> rows, std::span<Sampled> sampled) {
  const auto n_vocab = static_cast<std::size_t>(spec_.n_vocab);
  const std::span<float> all(logits.data_ptr<float>(), static_cast<std::size_t>(logits.numel()));
  for (std::size_t i = 0; i < rows.size(); ++i) sampled[i] = sampler_.sample(all.subspan(i * n_vocab, n_vocab), rows[i]);
}

// x [n, hidden] → [n, hidden]
at::Tensor TorchRunner::self_attention(int layer, const at::Tensor& x, const StepIndex& step, const RotaryAngles& angles) {
  const TorchLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  const std::int64_t n = x.size(0), n_heads = spec_.n_heads, n_kv = spec_.n_kv_heads;
  const at::Tensor qkv = at::linear(x, weights.qkv).view({n, n_heads + 2 * n_kv, spec_.head_dim});
  const at::Tensor rotated = rotary_.rotate(qkv.narrow(1, 0, n_heads + n_kv), angles);  // Q and K turn alike
  const at::Tensor q = rotated.narrow(1, 0, n_heads).to(compute_);
  cache_.write(layer, step.slots, rotated.narrow(1, n_heads, n_kv), qkv.narrow(1, n_heads + n_kv, n_kv));

  if (options_.tap != nullptr) [[unlikely]]
    show_heads(layer, step, q);
  at::Tensor mixed = at::empty({n, n_heads * spec_.head_dim}, compute_);
  for (const AttentionGroup& group : step.groups) {
    const KvCache::Gathered cached = cache_.read(layer, group.slots, compute_);
    mixed.index_copy_(0, group.rows, attend(at::index_select(q, 0, group.rows), cached, group));
  }
  show(TapPoint::kAttnOut, mixed, layer);
  return at::linear(mixed, weights.attn_out);
}

}  // namespace mie
