// The libtorch backend: one forward pass over a ragged batch through a paged cache, read from the ModelSpec top to bottom.
// Built by entry.cpp, owned by the engine's builder, used by the engine thread only.
#pragma once

#include "models/model_runner.h"
#include "models/model_spec.h"
#include "models/sampling/sampler.h"
#include "models/torch/kv_cache.h"
#include "models/torch/layers.h"
#include "models/torch/step_index.h"
#include "models/torch/torch_options.h"
#include "models/torch/weights.h"

#include <cstdint>
#include <vector>

namespace mie {

class TorchRunner final : public ModelRunner {
 public:
  // REQUIRES: options with nothing left to "auto", n_threads, n_blocks and block_size ≥ 1, 1 ≤ n_tokens ≤ n_vocab.
  TorchRunner(const ModelSpec& spec, TorchWeights weights, const TorchOptions& options);

  // Throws ModelStepError when a number is not finite or libtorch refuses the step.
  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override;

 private:
  void check(const StepBatch& batch, std::span<const SamplingRow> rows) const;
  void step(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled);
  [[nodiscard]] at::Tensor forward(const StepIndex& step);
  // Shows the tap rows of the batch: all, or those whose logits are wanted. values [rows, …] (runner_tap.cpp).
  void show(TapPoint point, const at::Tensor& values, int layer = -1) {
    if (options_.tap != nullptr) [[unlikely]]
      show_values(point, values, layer);
  }
  void begin_showing(const StepBatch& batch);
  void show_values(TapPoint point, const at::Tensor& values, int layer);
  void show_logits(std::span<const std::int32_t> rows, const at::Tensor& normed, const at::Tensor& logits);
  void show_heads(int layer, const StepIndex& step, const at::Tensor& q);
  [[nodiscard]] at::Tensor with_half_pairs(const at::Tensor& heads) const;
  [[nodiscard]] at::Tensor self_attention(int layer, const at::Tensor& x, const StepIndex& step, const RotaryAngles& angles);
  void sample(const at::Tensor& logits, std::span<const SamplingRow> rows, std::span<Sampled> sampled);

  ModelSpec spec_;
  TorchOptions options_;
  at::ScalarType compute_;
  TorchWeights weights_;
  RotaryTable rotary_;
  KvCache cache_;
  Sampler sampler_;
  std::vector<std::int32_t> all_rows_, logits_rows_;  // of the batch that runs; empty without a tap
};

// REQUIRES: dtype resolved (not kAuto).
[[nodiscard]] at::ScalarType scalar_type(TorchDtype dtype);

}  // namespace mie
