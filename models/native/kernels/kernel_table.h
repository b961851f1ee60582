// The kernels of one instruction set, as plain functions on plain memory. One translation unit per ISA fills one table;
// nothing else in the program is compiled with that ISA's flags. Stateless; any thread.
//
// Terms. A *panel* is 32 consecutive outputs of a weight matrix, K ascending, one sequential stream of bytes. A *group* is
// 32 consecutive inputs. A *row* is one token (in attention: one query head of one token).
#pragma once

#include "models/native/isa.h"

#include <cstddef>
#include <cstdint>

namespace mie::native {

inline constexpr int kPanel = 32;  // outputs
inline constexpr int kGroup = 32;  // inputs; also the block of the activation scales

// How packed weights are stored (formats/). F16 and F32 files are converted to kBf16 at load.
enum class PackFormat : std::uint8_t { kQ4_0, kQ4_1, kQ8_0, kBf16 };
inline constexpr int kPackFormats = 4;

// Rows quantised per group: q = round(x / scale), scale = max|x| / 127. Row r, input k: q[r * K + k].
struct ActS8 {
  const std::int8_t* q;      // [rows, K]
  const float* scale;        // [rows, K / 32]
  const std::int32_t* qsum;  // [rows, K / 32] sum of q over the group
  const float* asum;         // [rows, K / 32] scale * qsum
};

// Rows as bf16. Each aligned 8 of K is stored a0 a1 a2 … (kNatural, for bf16 weights) or a0 a2 a4 a6 a1 a3 a5 a7
// (kSplit, for 4- and 8-bit weights: the pairs in which their nibbles unpack).
enum class ActOrder : std::uint8_t { kNatural, kSplit };
struct ActBf16 {
  const std::uint16_t* a;  // [rows, K]
  const float* asum;       // [rows, K / 32] sum of the rounded values
};

// Where one row's activations are written: pointers to its first input and first group.
struct ActS8Row {
  std::int8_t* q;
  float* scale;
  std::int32_t* qsum;
  float* asum;
};
struct ActBf16Row {
  std::uint16_t* a;
  float* asum;
};

// out[r * 32 + n] = sum over k of w[n][k] * a[r][k], for one panel and rows [0, n_rows); `a` points at the first row.
using LinearS8 = void (*)(const std::byte* panel, int k, const ActS8& a, int n_rows, float* out);
using LinearBf16 = void (*)(const std::byte* panel, int k, const ActBf16& a, int n_rows, float* out);

// The K and V of one (layer, KV head) across all pages. A page holds `page_tokens` tokens as tiles of `tile` = min(page, 32):
//   K tile [D/2][tile][2] bf16, then V tile [tile/2][D][2] bf16; tile t of the page follows tile t - 1.
struct KvHead {
  std::byte* pages;                 // page p at pages + p * page_stride
  std::int64_t page_stride;         // bytes
  const std::int32_t* block_table;  // page of positions [i * page_tokens, …)
  int page_tokens;
  int tile;
  int head_dim;
};

inline constexpr int kAttnTile = 64;    // tokens of one softmax update, at absolute multiples
inline constexpr int kAttnChunk = 512;  // tokens of one (max, sum, output), at absolute multiples
inline constexpr int kAttnRows = 6;     // query rows of one call

// Attention of up to 6 rows over the positions [first, last) of one sequence. `first` is a multiple of kAttnTile.
struct AttnTask {
  const std::uint16_t* const* q;  // [n_rows] bf16[D]
  const std::int32_t* row_last;   // [n_rows] last position that the row sees
  int n_rows;
  int first, last;
  float scale;  // of the scores; 1 / sqrt(D)
};
// Unnormalised result of each row over the positions asked for: running maximum (-inf: saw nothing), sum and output.
struct AttnPartial {
  float* max;  // [n_rows]
  float* sum;  // [n_rows]
  float* out;  // [n_rows, D]
};

struct KernelTable {
  Isa isa;
  LinearS8 linear_s8[kPackFormats];      // mode w4a8; null for kBf16
  LinearBf16 linear_bf16[kPackFormats];  // mode w4a16, and kBf16 in both modes
  void (*quantise_row)(const float* x, int k, const ActS8Row& out);
  void (*round_row)(const float* x, int k, ActOrder order, const ActBf16Row& out);
  void (*rms_norm_row)(const float* x, const float* weight, int k, float eps, float* out);
  void (*add_row)(float* x, const float* y, int n);                                // x += y
  void (*silu_mul_panel)(const float* gate, const float* up, float* out);          // 32 values
  void (*rotate_row)(float* x, const float* cosine, const float* sine, int half);  // RoPE, half-split pairs
  void (*store_bf16)(const float* x, int n, std::uint16_t* out);                   // n a multiple of 16
  void (*attend)(const KvHead& kv, const AttnTask& task, const AttnPartial& result);
  // a becomes the softmax state of a's positions followed by b's, for one row.
  void (*combine)(int head_dim, float& max, float& sum, float* out, float b_max, float b_sum, const float* b_out);
  void (*normalise)(int head_dim, float sum, float* out);  // out /= sum
};

// REQUIRES: isa_supported(isa).
[[nodiscard]] const KernelTable& kernel_table(Isa isa);

}  // namespace mie::native
