// Causal attention of one group of sequences over the cache. Pure function; engine thread.
#pragma once

#include "models/torch/aten.h"
#include "models/torch/kv_cache.h"
#include "models/torch/step_index.h"

namespace mie {

// q [b * t, n_heads, head_dim], keys and values [n_kv_heads, b * l, head_dim] → [b * t, n_heads * head_dim].
// Query head h reads KV head h / (n_heads / n_kv_heads). Softmax in fp32, the two products in q's type.
[[nodiscard]] at::Tensor attend(const at::Tensor& q, const KvCache::Gathered& cached, const AttentionGroup& group);

}  // namespace mie
