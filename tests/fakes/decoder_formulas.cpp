#include "tests/fakes/decoder_formulas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mie::test {

Vector multiply(const std::vector<float>& matrix, const Vector& x) {
  Vector y(matrix.size() / x.size());
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t i = 0; i < x.size(); ++i) y[row] += double{matrix[row * x.size() + i]} * x[i];
  }
  return y;
}

Vector normalise(const std::vector<float>& weight, const Vector& x, double eps) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + eps);
  Vector y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * scale * double{weight[i]};
  return y;
}

void add(Vector& x, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

double activate(Activation activation, double x) {
  if (activation == Activation::kSilu) return x / (1 + std::exp(-x));
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

void rotate(const ModelSpec& spec, Vector& heads, std::size_t position) {
  const auto head_dim = static_cast<std::size_t>(spec.head_dim), n_dims = static_cast<std::size_t>(spec.rope.n_rotary_dims);
  for (std::size_t head = 0; head < heads.size(); head += head_dim) {
    for (std::size_t i = 0; i < n_dims / 2; ++i) {
      const bool half = spec.rope.pairing == RopePairing::kHalf;
      double& a = heads[head + (half ? i : 2 * i)];
      double& b = heads[head + (half ? i + n_dims / 2 : 2 * i + 1)];
      const double exponent = 2 * static_cast<double>(i) / static_cast<double>(n_dims);
      const double angle = static_cast<double>(position) / std::pow(spec.rope.base, exponent);
      const double turned_a = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle);
      a = turned_a;
    }
  }
}

void attend(const ModelSpec& spec, std::size_t head, const Vector& q, std::span<const Vector> keys,
            std::span<const Vector> values, Vector& out) {
  const auto d = static_cast<std::size_t>(spec.head_dim);
  const std::size_t kv_head = head * static_cast<std::size_t>(spec.n_kv_heads) / static_cast<std::size_t>(spec.n_heads);
  Vector weights;
  double total = 0;
  for (const Vector& key : keys) {
    double score = 0;
    for (std::size_t i = 0; i < d; ++i) score += q[head * d + i] * key[kv_head * d + i];
    weights.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
    total += weights.back();
  }
  for (std::size_t t = 0; t < keys.size(); ++t) {
    for (std::size_t i = 0; i < d; ++i) out[head * d + i] += weights[t] / total * values[t][kv_head * d + i];
  }
}

}  // namespace mie::test
