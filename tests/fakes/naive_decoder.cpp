#include "tests/fakes/naive_decoder.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mie::test {
namespace {

using Vector = std::vector<double>;

Vector multiply(const std::vector<float>& matrix, const Vector& x) {  // [out, in] times [in]
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

// Turns each head of `heads` for a position.
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

// Head `head` of the newest query against all keys and values, added to `out` at the head's place.
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

void run_layer(const SyntheticModel& model, int layer, std::vector<Vector>& xs) {
  const ModelSpec& spec = model.spec();
  const auto w = [&](TensorRole role) -> const std::vector<float>& { return model.numbers(role, layer); };
  std::vector<Vector> keys, values;
  for (std::size_t position = 0; position < xs.size(); ++position) {
    Vector& x = xs[position];
    const Vector normed = normalise(w(TensorRole::kAttnNorm), x, spec.norm_eps);
    Vector q = multiply(w(TensorRole::kQ), normed);
    keys.push_back(multiply(w(TensorRole::kK), normed));
    values.push_back(multiply(w(TensorRole::kV), normed));
    rotate(spec, q, position);
    rotate(spec, keys.back(), position);
    Vector mixed(q.size());
    for (std::size_t head = 0; head < static_cast<std::size_t>(spec.n_heads); ++head) {
      attend(spec, head, q, keys, values, mixed);
    }
    add(x, multiply(w(TensorRole::kAttnOut), mixed));

    const Vector ffn_in = normalise(w(TensorRole::kFfnNorm), x, spec.norm_eps);
    Vector gate = multiply(w(TensorRole::kGate), ffn_in);
    const Vector up = multiply(w(TensorRole::kUp), ffn_in);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = activate(spec.activation, gate[i]) * up[i];
    add(x, multiply(w(TensorRole::kDown), gate));
  }
}

}  // namespace

std::vector<double> naive_logprobs(const SyntheticModel& model, std::span<const TokenId> tokens) {
  const ModelSpec& spec = model.spec();
  const auto hidden = static_cast<std::size_t>(spec.hidden);
  const std::vector<float>& embedding = model.numbers(TensorRole::kEmbedding, -1);
  std::vector<Vector> xs;
  for (const TokenId token : tokens) {
    const auto row = embedding.begin() + std::ptrdiff_t{token.value()} * spec.hidden;
    xs.emplace_back(row, row + static_cast<std::ptrdiff_t>(hidden));
  }
  for (int layer = 0; layer < spec.n_layers; ++layer) run_layer(model, layer, xs);
  const Vector last = normalise(model.numbers(TensorRole::kOutputNorm, -1), xs.back(), spec.norm_eps);
  Vector logits = multiply(spec.tied_embeddings ? embedding : model.numbers(TensorRole::kOutput, -1), last);
  double total = 0;
  for (const double logit : logits) total += std::exp(logit);
  for (double& logit : logits) logit -= std::log(total);
  return logits;
}

}  // namespace mie::test
