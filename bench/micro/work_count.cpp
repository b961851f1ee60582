#include "bench/micro/work_count.h"

#include "models/native/formats/packer.h"

namespace mie::bench {

double linear_ops(std::int64_t rows, std::int64_t k, std::int64_t n) { return 2.0 * static_cast<double>(rows * k * n); }

double weight_bytes(native::PackFormat format, int k, int n) {
  const int n_panels = (n + native::kPanel - 1) / native::kPanel;
  return static_cast<double>(native::packer(format).panel_bytes(k)) * n_panels;
}

double causal_pairs(std::int64_t first, std::int64_t n) {
  return static_cast<double>(n) * static_cast<double>(first) + static_cast<double>(n) * static_cast<double>(n + 1) / 2;
}

double attention_ops(const AttentionShape& shape, double pairs) { return 4.0 * shape.n_heads * shape.head_dim * pairs; }

double kv_bytes(const AttentionShape& shape, double n_tokens) {
  constexpr double kBf16Bytes = 2, kKeyAndValue = 2;
  return kBf16Bytes * kKeyAndValue * shape.n_kv_heads * shape.head_dim * n_tokens;
}

}  // namespace mie::bench
