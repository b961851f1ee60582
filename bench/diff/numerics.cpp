#include "bench/diff/numerics.h"

#include "bench/diff/record.h"

#include <algorithm>
#include <cmath>

namespace mie::diff {
namespace {

constexpr double kMost = 0.5;

double factor_of(TapPoint point) { return point == TapPoint::kFfnOut ? 64 : 32; }

double unit_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kFp32:
      return 0x1p-20;
    case Arithmetic::kBf16:
      return 0x1p-9;
    case Arithmetic::kW4A8:
      return 0x1p-8;
  }
  return 0;
}

// Attention and feed-forward blocks whose results are in a tensor.
int blocks_before(const TensorId& tensor, int n_layers) {
  if (tensor.point == TapPoint::kEmbed) return 0;
  if (tensor.point >= TapPoint::kFinalNorm) return 2 * n_layers;
  const int in_layer = tensor.point == TapPoint::kResidual ? 2 : tensor.point >= TapPoint::kResidualMid ? 1 : 0;
  return 2 * tensor.layer + in_layer;
}

}  // namespace

double expected_difference(const Numerics& a, const Numerics& b, const TensorId& tensor, int n_layers) {
  if (!a.bits.empty() && a.bits == b.bits) return 0;
  const double unit = std::hypot(unit_of(a.arithmetic), unit_of(b.arithmetic));
  return std::min(kMost, factor_of(tensor.point) * unit * std::sqrt(1.0 + blocks_before(tensor, n_layers)));
}

}  // namespace mie::diff
