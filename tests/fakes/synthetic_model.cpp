#include "tests/fakes/synthetic_model.h"

#include <algorithm>
#include <random>

namespace mie::test {

SyntheticModel::SyntheticModel(ModelSpec spec, std::uint64_t seed) : plan_{std::move(spec), {}}, seed_(seed) {
  const ModelSpec& s = plan_.spec;
  const std::int64_t q_width = std::int64_t{s.n_heads} * s.head_dim, kv_width = std::int64_t{s.n_kv_heads} * s.head_dim;
  add(TensorRole::kEmbedding, -1, {s.n_vocab, s.hidden});
  add(TensorRole::kOutputNorm, -1, {s.hidden});
  if (!s.tied_embeddings) add(TensorRole::kOutput, -1, {s.n_vocab, s.hidden});
  for (int layer = 0; layer < s.n_layers; ++layer) {
    add(TensorRole::kAttnNorm, layer, {s.hidden});
    add(TensorRole::kQ, layer, {q_width, s.hidden});
    add(TensorRole::kK, layer, {kv_width, s.hidden});
    add(TensorRole::kV, layer, {kv_width, s.hidden});
    add(TensorRole::kAttnOut, layer, {s.hidden, q_width});
    add(TensorRole::kFfnNorm, layer, {s.hidden});
    add(TensorRole::kGate, layer, {s.ffn_hidden, s.hidden});
    add(TensorRole::kUp, layer, {s.ffn_hidden, s.hidden});
    add(TensorRole::kDown, layer, {s.hidden, s.ffn_hidden});
  }
}

void SyntheticModel::add(TensorRole role, int layer, std::vector<std::int64_t> shape) {
  const std::string name = "t" + std::to_string(plan_.tensors.size());
  std::int64_t n = 1;
  for (const auto dim : shape) n *= dim;
  std::mt19937_64 random(seed_ * 1000 + plan_.tensors.size());
  std::normal_distribution<float> normal(shape.size() == 1 ? 1.0F : 0.0F, 0.3F);  // norms lie around 1
  std::vector<float>& numbers = numbers_[{role, layer}];
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(normal(random));
  views_.push_back({.name = name, .format = QuantFormat::kF32, .shape = shape, .bytes = std::as_bytes(std::span(numbers))});
  plan_.tensors.push_back({role, layer, name, std::move(shape)});
}

const TensorView* SyntheticModel::find(std::string_view name) const {
  const auto it = std::find_if(views_.begin(), views_.end(), [&](const TensorView& view) { return view.name == name; });
  return it == views_.end() ? nullptr : &*it;
}

ModelSpec small_spec() {
  ModelSpec spec;
  spec.n_vocab = 40;
  spec.n_layers = 2;
  spec.hidden = 24;
  spec.n_heads = 4;
  spec.n_kv_heads = 2;
  spec.head_dim = 8;
  spec.ffn_hidden = 32;
  spec.context_length = 64;
  spec.rope = {.base = 100, .pairing = RopePairing::kHalf, .n_rotary_dims = 8};
  spec.tied_embeddings = true;
  return spec;
}

}  // namespace mie::test
