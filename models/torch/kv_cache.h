// K and V of every cached token. A slot is block * block_size + offset; one row of it is one token's K (or V) of one head.
// Owned by TorchRunner; engine thread only.
#pragma once

#include "models/model_spec.h"
#include "models/torch/aten.h"
#include "models/torch/torch_options.h"

#include <vector>

namespace mie {

class KvCache {
 public:
  // Takes all memory at once, zeroed: attention reads slots that nobody wrote (padding), so each must hold finite numbers.
  KvCache(const ModelSpec& spec, const TorchOptions& options, at::ScalarType stored);

  // k, v [n, n_kv_heads, head_dim] → slots [n] of one layer, in the stored type.
  void write(int layer, const at::Tensor& slots, const at::Tensor& k, const at::Tensor& v);

  // Copies `n` slots of every layer.
  void copy(std::int64_t from, std::int64_t to, std::int64_t n);

  struct Gathered {
    at::Tensor k, v;  // [n_kv_heads, n, head_dim]
  };
  [[nodiscard]] Gathered read(int layer, const at::Tensor& slots, at::ScalarType as) const;

  // Zeroes slots in every layer: what a failed step wrote may be infinite or NaN and must not be met as padding later.
  void erase(const at::Tensor& slots);

 private:
  // [n_kv_heads, n_blocks * block_size, head_dim]: heads outermost, so that a gather of slots is at once the operand of
  // the batched product over heads.
  struct Layer {
    at::Tensor k, v;
  };
  std::vector<Layer> layers_;
};

}  // namespace mie
