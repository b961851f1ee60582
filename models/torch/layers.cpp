#include "models/torch/layers.h"

#include <cmath>
#include <utility>

namespace mie {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  return x * at::rsqrt(x.square().mean(-1, /*keepdim=*/true) + eps) * weight;
}

at::Tensor gated(const at::Tensor& gate_up, Activation activation) {
  const std::int64_t width = gate_up.size(-1) / 2;
  const at::Tensor gate = gate_up.narrow(-1, 0, width), up = gate_up.narrow(-1, width, width);
  return (activation == Activation::kSilu ? at::silu(gate) : at::gelu(gate, "tanh")) * up;
}

RotaryTable::RotaryTable(const RopeSpec& spec, int context_length) : spec_(spec) {
  const auto pair = at::arange(spec.n_rotary_dims / 2, at::kDouble);
  const auto frequency = (pair * (-2.0 / spec.n_rotary_dims) * std::log(spec.base)).exp();
  const auto angle = at::outer(at::arange(context_length, at::kDouble), frequency);
  cos_ = at::cos(angle).to(at::kFloat);
  sin_ = at::sin(angle).to(at::kFloat);
}

RotaryAngles RotaryTable::at_positions(const at::Tensor& positions) const {
  return {at::index_select(cos_, 0, positions).unsqueeze(1), at::index_select(sin_, 0, positions).unsqueeze(1)};
}

at::Tensor RotaryTable::rotate(const at::Tensor& heads, const RotaryAngles& angles) const {
  const std::int64_t n_dims = spec_.n_rotary_dims, n_rest = heads.size(-1) - n_dims;
  const at::Tensor turning = heads.narrow(-1, 0, n_dims);
  const auto turn = [&](const at::Tensor& a, const at::Tensor& b) {  // each [n, h, n_dims / 2]
    return std::pair(a * angles.cos - b * angles.sin, b * angles.cos + a * angles.sin);
  };
  at::Tensor turned;
  if (spec_.pairing == RopePairing::kHalf) {
    const auto [a, b] = turn(turning.narrow(-1, 0, n_dims / 2), turning.narrow(-1, n_dims / 2, n_dims / 2));
    turned = at::cat({a, b}, -1);
  } else {
    const at::Tensor pairs = turning.unflatten(-1, {n_dims / 2, 2});
    const auto [a, b] = turn(pairs.select(-1, 0), pairs.select(-1, 1));
    turned = at::stack({a, b}, -1).flatten(-2);
  }
  return n_rest == 0 ? turned : at::cat({turned, heads.narrow(-1, n_dims, n_rest)}, -1);
}

}  // namespace mie
