// The linear kernels, written once over the `Vec` of the including unit. A tile is R rows by one panel (two vectors of 16
// outputs); one lane owns one output and sums its groups in ascending order, so the bits of a row depend on neither R nor
// the other rows. Internal linkage: nothing here may be shared between ISA units.
// Not alone because the vector type `Vec` comes from the including ISA unit.
#pragma once

#include "models/native/kernels/kernel_table.h"
#include "models/native/kernels/unroll.h"

namespace {

using mie::native::ActBf16;
using mie::native::ActS8;
using mie::native::kGroup;
using mie::native::kPanel;

constexpr int kCols = kPanel / 16;  // vectors across a panel

template <int R>
using FloatTile = Vec::F32[R][kCols];
template <int R>
using IntTile = Vec::I32[R][kCols];

template <int R>
MIE_INLINE inline void clear(FloatTile<R>& y) {
  unroll<R>([&](auto r) MIE_INLINE { unroll<kCols>([&](auto c) MIE_INLINE { y[r][c] = Vec::zero(); }); });
}

template <int R>
MIE_INLINE inline void store(const FloatTile<R>& y, float* out) {
  unroll<R>([&](auto r)
                MIE_INLINE { unroll<kCols>([&](auto c) MIE_INLINE { Vec::store(out + r * kPanel + c * 16, y[r][c]); }); });
}

// y += min * act_sum.
template <class Format, int R>
MIE_INLINE inline void fold_min(const std::byte* record, const float* asum, int stride, FloatTile<R>& y) {
  if constexpr (Format::kHasMin) {
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto min = Vec::load_half16(record + Format::kMinAt + c * 32);
      unroll<R>([&](auto r) MIE_INLINE { y[r][c] = Vec::fma(min, Vec::set1(asum[r * stride]), y[r][c]); });
    });
  }
}

// y += dot * (scale * act_scale), then + min * act_sum: this order in every unit, so that their bits agree.
template <class Format, int R>
MIE_INLINE inline void fold_s8(const std::byte* record, const IntTile<R>& dot, const ActS8& a, int g, int stride,
                               FloatTile<R>& y) {
  unroll<kCols>([&](auto c) MIE_INLINE {
    const auto scale = Vec::load_half16(record + Format::kScaleAt + c * 32);
    unroll<R>([&](auto r) MIE_INLINE {
      y[r][c] = Vec::fma(Vec::to_f32(dot[r][c]), Vec::mul(scale, Vec::set1(a.scale[r * stride + g])), y[r][c]);
    });
  });
  fold_min<Format, R>(record, a.asum + g, stride, y);
}

template <class Format, int R>
__attribute__((noinline)) void tile_s8(const std::byte* record, int k, const ActS8& a, float* out) {
  const int n_groups = k / kGroup;
  FloatTile<R> y;
  clear<R>(y);
  for (int g = 0; g < n_groups; ++g, record += Format::kRecordBytes) {
    IntTile<R> dot;
    unroll<R>([&](auto r) MIE_INLINE {
      const auto start = Vec::set1_i32(Format::kZero == 0 ? 0 : -Format::kZero * a.qsum[r * n_groups + g]);
      unroll<kCols>([&](auto c) MIE_INLINE { dot[r][c] = start; });
    });
    Format::template dot_s8<R>(record, a.q + g * kGroup, k, dot);
    fold_s8<Format, R>(record, dot, a, g, n_groups, y);
  }
  store<R>(y, out);
}

// Quantised weights times bf16 rows: exact products, one fp32 sum a group, then y += sum * scale (+ min * act_sum).
template <class Format, int R>
__attribute__((noinline)) void tile_w4a16(const std::byte* record, int k, const ActBf16& a, float* out) {
  const int n_groups = k / kGroup;
  FloatTile<R> y;
  clear<R>(y);
  for (int g = 0; g < n_groups; ++g, record += Format::kRecordBytes) {
    FloatTile<R> dot;
    clear<R>(dot);
    Format::template dot_bf16<R>(record, a.a + g * kGroup, k, dot);
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto scale = Vec::load_half16(record + Format::kScaleAt + c * 32);
      unroll<R>([&](auto r) MIE_INLINE { y[r][c] = Vec::fma(dot[r][c], scale, y[r][c]); });
    });
    fold_min<Format, R>(record, a.asum + g, n_groups, y);
  }
  store<R>(y, out);
}

// bf16 weights: one accumulator over all of K.
template <class Format, int R>
__attribute__((noinline)) void tile_bf16(const std::byte* record, int k, const ActBf16& a, float* out) {
  FloatTile<R> y;
  clear<R>(y);
  for (int i = 0; i < k; i += 2, record += Format::kRecordBytes) {
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto w = Vec::bf16_pair(Vec::load64(record + c * 64));
      unroll<R>([&](auto r) MIE_INLINE { y[r][c] = Vec::dot_pair(y[r][c], w, a.a + r * k + i); });
    });
  }
  store<R>(y, out);
}

inline ActS8 rows_from(const ActS8& a, int k, int row) {
  const int g = row * (k / kGroup);
  return {a.q + row * k, a.scale + g, a.qsum + g, a.asum + g};
}
inline ActBf16 rows_from(const ActBf16& a, int k, int row) { return {a.a + row * k, a.asum + row * (k / kGroup)}; }

// Tiles of the full height, then one exact tile for the rows that are left: no row is computed twice or padded.
#define MIE_LINEAR(name, tile, act, max_rows)                                                              \
  template <class Format, int R>                                                                           \
  void name##_rest(const std::byte* panel, int k, const act& a, int n_rows, float* out) {                  \
    if constexpr (R > 0) {                                                                                 \
      if (n_rows == R) return tile<Format, R>(panel, k, a, out);                                           \
      name##_rest<Format, R - 1>(panel, k, a, n_rows, out);                                                \
    }                                                                                                      \
  }                                                                                                        \
  template <class Format>                                                                                  \
  void name(const std::byte* panel, int k, const act& a, int n_rows, float* out) {                         \
    int row = 0;                                                                                           \
    for (; row + (max_rows) <= n_rows; row += (max_rows)) {                                                \
      tile<Format, (max_rows)>(panel, k, rows_from(a, k, row), out + row * kPanel);                        \
    }                                                                                                      \
    name##_rest<Format, (max_rows) - 1>(panel, k, rows_from(a, k, row), n_rows - row, out + row * kPanel); \
  }
MIE_LINEAR(linear_s8, tile_s8, ActS8, Vec::kRowsS8)
MIE_LINEAR(linear_w4a16, tile_w4a16, ActBf16, Vec::kRowsW4A16)
MIE_LINEAR(linear_bf16, tile_bf16, ActBf16, Vec::kRowsBf16)
#undef MIE_LINEAR

}  // namespace
