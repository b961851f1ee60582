#include "models/torch/kv_cache.h"

namespace mie {

KvCache::KvCache(const ModelSpec& spec, const TorchOptions& options, at::ScalarType stored) {
  const std::int64_t n_slots = std::int64_t{options.n_blocks} * options.block_size;
  const auto pages = [&] { return at::zeros({spec.n_kv_heads, n_slots, spec.head_dim}, stored); };
  for (int layer = 0; layer < spec.n_layers; ++layer) layers_.push_back({pages(), pages()});
}

void KvCache::write(int layer, const at::Tensor& slots, const at::Tensor& k, const at::Tensor& v) {
  Layer& pages = layers_[static_cast<std::size_t>(layer)];
  pages.k.index_copy_(1, slots, k.transpose(0, 1).to(pages.k.scalar_type()));
  pages.v.index_copy_(1, slots, v.transpose(0, 1).to(pages.v.scalar_type()));
}

void KvCache::copy(std::int64_t from, std::int64_t to, std::int64_t n) {
  for (Layer& pages : layers_) {
    pages.k.narrow(1, to, n).copy_(pages.k.narrow(1, from, n));
    pages.v.narrow(1, to, n).copy_(pages.v.narrow(1, from, n));
  }
}

KvCache::Gathered KvCache::read(int layer, const at::Tensor& slots, at::ScalarType as) const {
  const Layer& pages = layers_[static_cast<std::size_t>(layer)];
  return {at::index_select(pages.k, 1, slots).to(as), at::index_select(pages.v, 1, slots).to(as)};
}

void KvCache::erase(const at::Tensor& slots) {
  for (Layer& pages : layers_) {
    pages.k.index_fill_(1, slots, 0);
    pages.v.index_fill_(1, slots, 0);
  }
}

}  // namespace mie
