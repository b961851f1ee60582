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
  [[nodiscard]] at::Tensor self_attention(int layer, const at::Tensor& x, const StepIndex& step, const RotaryAngles& angles);
  void sample(const at::Tensor& logits, std::span<const SamplingRow> rows, std::span<Sampled> sampled);

  ModelSpec spec_;
  TorchOptions options_;
  at::ScalarType compute_;
  TorchWeights weights_;
  RotaryTable rotary_;
  KvCache cache_;
  Sampler sampler_;
};

// REQUIRES: dtype resolved (not kAuto).
[[nodiscard]] at::ScalarType scalar_type(TorchDtype dtype);

}  // namespace mie
