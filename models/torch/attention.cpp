#include "models/torch/attention.h"

#include <cmath>
#include <limits>

namespace mie {

at::Tensor attend(const at::Tensor& q, const KvCache::Gathered& cached, const AttentionGroup& group) {
  const std::int64_t b = group.n_seqs, t = group.n_rows, l = group.n_keys;
  const std::int64_t n_kv = cached.k.size(0), d = q.size(-1), n_shared = q.size(1) / n_kv;  // query heads of a KV head
  const double scale = 1.0 / std::sqrt(static_cast<double>(d));

  // [b, t, n_kv, n_shared, d] → [n_kv * b, n_shared * t, d]: all queries of a KV head share one product
  const auto queries = q.view({b, t, n_kv, n_shared, d}).permute({2, 0, 3, 1, 4}).reshape({n_kv * b, n_shared * t, d});
  const auto keys = cached.k.view({n_kv * b, l, d}), values = cached.v.view({n_kv * b, l, d});

  auto scores = (at::bmm(queries, keys.transpose(1, 2)).to(at::kFloat) * scale).view({n_kv, b, n_shared, t, l});
  scores.masked_fill_(group.unseen, -std::numeric_limits<double>::infinity());
  const auto weights = at::softmax(scores, -1).to(q.scalar_type()).view({n_kv * b, n_shared * t, l});

  // [n_kv * b, n_shared * t, d] → [b, t, n_kv, n_shared, d] → [b * t, n_heads * d]
  const auto mixed = at::bmm(weights, values).view({n_kv, b, n_shared, t, d}).permute({1, 3, 0, 2, 4});
  return mixed.reshape({b * t, n_kv * n_shared * d});
}

}  // namespace mie
