#include "tests/fakes/naive_decoder.h"
#include "tests/fakes/decoder_formulas.h"

#include <cmath>

namespace mie::test {
namespace {

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
