// The pieces of a decoder layer that are not matrix products: RMS norm, rotary embedding, gated activation. All fp32.
// Pure functions and one immutable table; any thread.
#pragma once

#include "models/model_spec.h"
#include "models/torch/aten.h"

namespace mie {

// x / sqrt(mean(x²) + eps) * weight over the last dimension. x [n, hidden], weight [hidden].
[[nodiscard]] at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

// activation(gate) * up, where gate_up [n, 2 * ffn_hidden] holds both. → [n, ffn_hidden]
[[nodiscard]] at::Tensor gated(const at::Tensor& gate_up, Activation activation);

// Sines and cosines of one step's positions. [n, 1, n_rotary_dims / 2]: the 1 broadcasts over heads.
struct RotaryAngles {
  at::Tensor cos, sin;
};

// Rotary position embedding (Su et al., 2021). Pair i of a head at position p turns by p / base^(2i / n_rotary_dims).
class RotaryTable {
 public:
  RotaryTable(const RopeSpec& spec, int context_length);

  [[nodiscard]] RotaryAngles at_positions(const at::Tensor& positions) const;  // [n] of int64

  // heads [n, h, head_dim]; dims past n_rotary_dims pass through.
  [[nodiscard]] at::Tensor rotate(const at::Tensor& heads, const RotaryAngles& angles) const;

 private:
  RopeSpec spec_;
  at::Tensor cos_, sin_;  // [context_length, n_rotary_dims / 2]
};

}  // namespace mie
