// The weights of a decoder as the native backend runs them: packed once at load into one arena, in the order of use.
// Immutable once built; read by every compute thread.
#pragma once

#include "core/base/error.h"
#include "models/model_spec.h"
#include "models/native/fused_linear.h"
#include "models/weights/weight_source.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mie::native {

using PackProgress = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

struct PackedLayer {
  std::span<const float> attn_norm, ffn_norm;  // [hidden]
  FusedLinear qkv;                             // item = one head of Q, K or V, half-split rotary order
  FusedLinear attn_out;                        // item = one panel
  FusedLinear gate_up;                         // item = panel of gate, panel of up
  FusedLinear down;                            // item = one panel
};

struct PackedModel {
  ModelSpec spec;
  std::vector<PackedLayer> layers;
  std::span<const float> output_norm;  // [hidden]
  FusedLinear head;                    // item = one panel; rows past n_vocab are zero
  FusedLinear embedding;               // rows of the token embedding, for embed(); shares the head's panels where tied
  Arena arena;

  // Weights that one decode step reads.
  [[nodiscard]] std::int64_t step_bytes() const;
  // Row `token` of the embedding. out [hidden].
  void embed(int token, float* out) const;
};

// Packs tensor by tensor.
// Error kModelFormat: a shape this backend does not run (a dimension that is no multiple of 32). kConfig: no memory.
Result<PackedModel> pack_model(const ModelPlan& plan, const WeightSource& source, ThreadPool& pool,
                               const PackProgress& progress);

}  // namespace mie::native
