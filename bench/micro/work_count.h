// How much work a kernel is asked to do, counted exactly: what it must read from memory, and its operations with a
// multiply-add as two. Rates and percentages are made from these, so they hold what is needed and not what a kernel happens
// to do. Pure functions.
#pragma once

#include "models/native/kernels/kernel_table.h"

#include <cstdint>

namespace mie::bench {

// y[rows, n] = x[rows, k] W[n, k].
[[nodiscard]] double linear_ops(std::int64_t rows, std::int64_t k, std::int64_t n);

// Packed bytes of W[n, k], scales and minima included; n rounded up to whole panels.
[[nodiscard]] double weight_bytes(native::PackFormat format, int k, int n);

struct AttentionShape {
  int n_heads, n_kv_heads, head_dim;
};

// Pairs of a query and a position it sees, for queries at positions [first, first + n): causal, itself included.
// Example: 3 queries from position 0 see 1 + 2 + 3 = 6.
[[nodiscard]] double causal_pairs(std::int64_t first, std::int64_t n);

// Scores and weighted values: 2 operations a dimension each, for every query head.
[[nodiscard]] double attention_ops(const AttentionShape& shape, double pairs);

// K and V in bf16 of `n_tokens` tokens.
[[nodiscard]] double kv_bytes(const AttentionShape& shape, double n_tokens);

}  // namespace mie::bench
