// The kernels of one instruction set, as plain functions on plain memory. One translation unit per ISA fills one table;
// nothing else in the program is compiled with that ISA's flags. Stateless; any thread.
//
// Terms. A *panel* is 32 consecutive outputs of a weight matrix, K ascending, one sequential stream of bytes. A *group* is
// 32 consecutive inputs. A *row* is one token (in attention: one query head of one token).
#pragma once

#include "models/native/isa.h"
#include "models/native/kernels/kv_head.h"

#include <cstddef>
#include <cstdint>

namespace mie::native {

inline constexpr int kPanel = 32;  // outputs
inline constexpr int kGroup = 32;  // inputs; also the block of the activation scales

// How packed weights are stored (formats/). F16 and F32 files are converted to kBf16 at load.
enum class PackFormat : std::uint8_t { kQ4_0, kQ4_1, kQ8_0, kBf16 };
inline constexpr int kQuantFormats = 3;  // all but kBf16

// Activations in the forms that weights read, as records of one group: everything that a tile needs of a row follows one
// pointer. Row r, group g: record r * K / 32 + g.

// For quantised weights in mode w4a8: q = round(x / scale), scale = max|x| / 127 over the group.
struct ActS8 {
  std::int8_t q[kGroup];
  float scale;
  float asum;  // scale * sum of q
  // Where the sums of products with weights stored as w + 8 and w + 128 start.
  std::int32_t minus_8_sums, minus_128_sums;
};

// For quantised weights in mode w4a16: rounded to bf16. Each aligned 8 inputs are stored 0 2 4 6 1 3 5 7: the pairs in which
// nibbles unpack.
struct ActSplit {
  std::uint16_t a[kGroup];
  float asum;  // of the rounded values
  float unused[3];
};

// out[r * 32 + n] = sum over k of w[n][k] * a[r][k], for one panel and rows [0, n_rows), n_rows >= 1; `a` points at the first
// row.
using LinearS8 = void (*)(const std::byte* panel, int k, const ActS8* a, int n_rows, float* out);
using LinearW4A16 = void (*)(const std::byte* panel, int k, const ActSplit* a, int n_rows, float* out);
// a: [rows, stride], of which K are read.
using LinearBf16 = void (*)(const std::byte* panel, int k, const std::uint16_t* a, int stride, int n_rows, float* out);

inline constexpr int kAttnTile = 64;    // tokens of one softmax update, at absolute multiples
inline constexpr int kAttnChunk = 512;  // tokens of one (max, sum, output), at absolute multiples
inline constexpr int kAttnRows = 16;    // query rows of one call

// Attention of up to kAttnRows rows over the positions [first, last) of one sequence. `first` is a multiple of kAttnTile.
struct AttnTask {
  const std::uint16_t* q;        // [n_rows, D] bf16
  const std::int32_t* row_last;  // [n_rows] last position that the row sees
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

// The highest of the logits looked at so far, the lowest id of equals; `sound` while none was NaN or +infinity.
struct BestLogit {
  float value = -__builtin_inff();
  std::int32_t id = -1;
  bool sound = true;
};

struct KernelTable {
  Isa isa;
  LinearS8 linear_s8[kQuantFormats];         // mode w4a8
  LinearW4A16 linear_w4a16[kQuantFormats];   // mode w4a16
  LinearBf16 linear_rounded[kQuantFormats];  // mode w4a16 where a unit has it: weights rounded to bf16 on the way
  LinearBf16 linear_bf16;                    // kBf16, in both modes
  void (*quantise_row)(const float* x, int k, ActS8* out);
  void (*split_row)(const float* x, int k, ActSplit* out);
  void (*rms_norm_row)(const float* x, const float* weight, int k, float eps, float* out);
  void (*add_row)(float* x, const float* y, int n);                                // x += y
  void (*silu_mul_panel)(const float* gate, const float* up, float* out);          // 32 values
  void (*rotate_row)(float* x, const float* cosine, const float* sine, int half);  // RoPE, half-split pairs
  void (*store_bf16)(const float* x, int n, std::uint16_t* out);                   // n a multiple of 16
  void (*attend)(const KvHead& kv, const AttnTask& task, const AttnPartial& result);
  // a becomes the softmax state of a's positions followed by b's, for one row.
  void (*combine)(int head_dim, float& max, float& sum, float* out, float b_max, float b_sum, const float* b_out);
  void (*normalise)(int head_dim, float sum, float* out);  // out /= sum
  // Looks at the logits of a panel, ids first_id …; only the first n of the 32 can be the best. Ascending ids.
  void (*find_best)(const float* x, int n, std::int32_t first_id, BestLogit& best);
};

// REQUIRES: isa_supported(isa).
[[nodiscard]] const KernelTable& kernel_table(Isa isa);

}  // namespace mie::native
