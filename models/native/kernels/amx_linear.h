// The linear kernels on AMX tiles. A tile instruction multiplies up to 16 rows by 16 outputs over 64 bytes of inputs; tiles
// only hold products, so the sums of a group are stored and folded into fp32 accumulators by vector instructions, in the
// order of linear_tile.h: integer kernels have the bits of every other unit. A row's bits do not depend on how many rows a
// tile has.
// Not alone because `Vec` and the formats come from the AMX unit.
#pragma once

#include "models/native/kernels/amx_unpack.h"
#include "models/native/kernels/linear_tile.h"

#include <immintrin.h>

namespace {

// Rows and bytes a row of the eight tile registers. Fixed roles: 0-3 sums, 4-5 activations, 6-7 weights.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  void set(int tile, int n_rows, int n_bytes) {
    rows[tile] = static_cast<std::uint8_t>(n_rows);
    row_bytes[tile] = static_cast<std::uint16_t>(n_bytes);
  }
};

// Sums of one column block go 64 bytes a row. `k_bytes`: inputs of one instruction, in bytes of an activation row.
inline void configure(int n_rows, int k_bytes) {
  TileConfig config;
  for (int tile = 0; tile < 6; ++tile) config.set(tile, n_rows, tile < 4 ? 64 : k_bytes);
  for (int tile = 6; tile < 8; ++tile) config.set(tile, k_bytes / 4, 64);
  _tile_loadconfig(&config);
}

constexpr int kAmxRows = 8;             // rows of a quantised tile: 16 accumulators, and two column blocks share a row's scales
constexpr int kAmxMinRows = 4;          // fewer rows of 8-bit activations are as fast without tiles
constexpr int kUnpackBytes = 24 << 10;  // weights of a panel that are unpacked at a time: they stay in the first cache

// Weights of one or more groups as tiles read them: group g at lines + g * group_bytes, its column block c
// block_bytes * c further, rows row_bytes apart.
struct TileWeights {
  const std::byte* lines;
  int group_bytes, block_bytes, row_bytes;
  const std::byte* scales;  // of the first group, in its packed record
};

// What a kernel call needs on its stack: unpacked weights, and the sums of two groups, one being stored while the other is
// folded.
struct AmxScratch {
  alignas(64) std::byte weights[kUnpackBytes];
  alignas(64) std::byte sums[2][kCols][kAmxRows * 64];
};

// Activation rows `stride` records apart, and where their outputs go.
template <class Act>
struct AmxRows {
  const Act* first;
  int stride;
  int n_rows;
  float* out;

  void skip(int n) {
    first += std::int64_t{n} * stride;
    n_rows -= n;
    out += n * kPanel;
  }
};

// Signed activations times weights as they are stored; constant zero points are dealt with when folding.
struct AmxS8 {
  using Act = ActS8;
  static constexpr int kRowBytes = kGroup;
  MIE_INLINE static const void* inputs(const ActS8* a) { return a->q; }
  template <class Format>
  static int n_groups_at_a_time(int n) {
    constexpr int kFit = kUnpackBytes / (kGroup * kPanel);
    return Format::kBits == 8 || n < kFit ? n : kFit;  // 8-bit weights are read where they are
  }
  template <class Format>
  static TileWeights weights(const std::byte* records, int n_groups, std::byte* unpacked) {
    const std::byte* scales = records + Format::kScaleAt;
    if constexpr (Format::kBits == 8) return {records, Format::kRecordBytes, 64, kCols * 64, scales};
    for (int g = 0; g < n_groups; ++g) {
      unpack_nibbles_s8(records + std::int64_t{g} * Format::kRecordBytes, unpacked + g * kGroup * kPanel);
    }
    return {unpacked, kGroup * kPanel, kGroup * 16, 64, scales};
  }
  MIE_INLINE static void multiply() {
    _tile_dpbsud(0, 4, 6);
    _tile_dpbsud(1, 4, 7);
  }
  template <class Format, int R>
  MIE_INLINE static void fold(const std::byte (&sums)[kCols][kAmxRows * 64], const std::byte* scales,
                              const RowCursor<ActS8, R>& a, FloatTile<R, kCols>& y) {
    fold_s8<Format, R, kCols>(scales, a, y, [&](auto r, auto c) MIE_INLINE {
      const auto sum = Vec::load64(sums[c] + r * 64);
      if constexpr (Format::kZero == 0) return sum;
      return Vec::add_i32(sum, first_sum<Format::kZero>(*a.row(r)));
    });
  }
};
struct AmxW4A16 {
  using Act = ActSplit;
  static constexpr int kRowBytes = 2 * kGroup, kUnpackedBytes = 2 * kGroup * kPanel;
  MIE_INLINE static const void* inputs(const ActSplit* a) { return a->a; }
  template <class Format>
  static int n_groups_at_a_time(int n) {
    constexpr int kFit = kUnpackBytes / kUnpackedBytes;
    return n < kFit ? n : kFit;
  }
  template <class Format>
  static TileWeights weights(const std::byte* records, int n_groups, std::byte* unpacked) {
    for (int g = 0; g < n_groups; ++g) {
      const std::byte* record = records + std::int64_t{g} * Format::kRecordBytes;
      if constexpr (Format::kBits == 8) {
        unpack_bytes_bf16(record, unpacked + g * kUnpackedBytes);
      } else {
        unpack_nibbles_bf16<-Format::kZero>(record, unpacked + g * kUnpackedBytes);
      }
    }
    return {unpacked, kUnpackedBytes, kUnpackedBytes / kCols, 64, records + Format::kScaleAt};
  }
  MIE_INLINE static void multiply() {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
  }
  template <class Format, int R>
  MIE_INLINE static void fold(const std::byte (&sums)[kCols][kAmxRows * 64], const std::byte* scales,
                              const RowCursor<ActSplit, R>& a, FloatTile<R, kCols>& y) {
    fold_w4a16<Format, R, kCols>(
        scales, a, y, [&](auto r, auto c) MIE_INLINE { return Vec::load(reinterpret_cast<const float*>(sums[c] + r * 64)); });
  }
};

// Sums of group g, left in `to`.
template <class Kind>
MIE_INLINE inline void multiply_group(const TileWeights& w, int g, const AmxRows<typename Kind::Act>& rows,
                                      std::byte (&to)[kCols][kAmxRows * 64]) {
  const std::byte* lines = w.lines + std::int64_t{g} * w.group_bytes;
  _tile_zero(0);
  _tile_zero(1);
  _tile_loadd(4, Kind::inputs(rows.first + g), static_cast<std::size_t>(rows.stride) * sizeof(typename Kind::Act));
  _tile_loadd(6, lines, static_cast<std::size_t>(w.row_bytes));
  _tile_loadd(7, lines + w.block_bytes, static_cast<std::size_t>(w.row_bytes));
  Kind::multiply();
  _tile_stored(0, to[0], 64);
  _tile_stored(1, to[1], 64);
}

// y += the products of n_groups groups; y is [R, 32] at `out`. While a group is folded the next one is multiplied.
template <class Kind, class Format, int R>
__attribute__((noinline)) void tile_amx(const TileWeights& w, int n_groups, const AmxRows<typename Kind::Act>& rows,
                                        AmxScratch& scratch) {
  FloatTile<R, kCols> y;
  each<R, kCols>([&](auto r, auto c) MIE_INLINE { y[r][c] = Vec::load(rows.out + r * kPanel + c * 16); });
  RowCursor<typename Kind::Act, R> a(rows.first, rows.stride);
  const std::byte* scales = w.scales;
  multiply_group<Kind>(w, 0, rows, scratch.sums[0]);
  for (int g = 0; g < n_groups; ++g, scales += Format::kRecordBytes, a.advance(1)) {
    if (g + 1 < n_groups) multiply_group<Kind>(w, g + 1, rows, scratch.sums[(g + 1) & 1]);
    Kind::template fold<Format, R>(scratch.sums[g & 1], scales, a, y);
  }
  store<R, kCols>(y, rows.out);
}

template <class Kind, class Format, int R>
MIE_INLINE inline void amx_remaining_rows(const TileWeights& w, int n_groups, const AmxRows<typename Kind::Act>& rows,
                                          AmxScratch& scratch) {
  if constexpr (R > 0) {
    if (rows.n_rows != R) return amx_remaining_rows<Kind, Format, R - 1>(w, n_groups, rows, scratch);
    configure(R, Kind::kRowBytes);
    tile_amx<Kind, Format, R>(w, n_groups, rows, scratch);
  }
}

template <class Kind, class Format>
void amx_groups(const TileWeights& w, int n_groups, AmxRows<typename Kind::Act> rows, AmxScratch& scratch) {
  if (rows.n_rows >= kAmxRows) configure(kAmxRows, Kind::kRowBytes);
  for (; rows.n_rows >= kAmxRows; rows.skip(kAmxRows)) tile_amx<Kind, Format, kAmxRows>(w, n_groups, rows, scratch);
  amx_remaining_rows<Kind, Format, kAmxRows - 1>(w, n_groups, rows, scratch);
}

// Rows of quantised weights: as many groups at a time as fit unpacked.
template <class Kind, class Format>
void linear_amx(const std::byte* panel, int k, const typename Kind::Act* a, int n_rows, float* out) {
  AmxScratch scratch;
  const int n_groups = k / kGroup;
  __builtin_memset(out, 0, sizeof(float) * kPanel * static_cast<std::size_t>(n_rows));
  for (int first = 0, n; first < n_groups; first += n) {
    const std::byte* records = panel + std::int64_t{first} * Format::kRecordBytes;
    n = Kind::template n_groups_at_a_time<Format>(n_groups - first);
    const TileWeights w = Kind::template weights<Format>(records, n, scratch.weights);
    amx_groups<Kind, Format>(w, n, {a + first, n_groups, n_rows, out}, scratch);
  }
  _tile_release();
}

// Fewer than kAmxMinRows rows are done without tiles: integer kernels agree.
template <class Format>
void linear_s8_amx(const std::byte* panel, int k, const ActS8* a, int n_rows, float* out) {
  const int rest = n_rows % kAmxRows < kAmxMinRows ? n_rows % kAmxRows : 0, n = n_rows - rest;
  if (n > 0) linear_amx<AmxS8, Format>(panel, k, a, n, out);
  if (rest > 0) linear<TileS8<Format>>(panel, k, a + std::int64_t{n} * (k / kGroup), rest, out + n * kPanel);
}

// bf16 weights: sums stay in tiles over all of K, for 16 or 32 rows at a time. Tile 2 * i + c: rows 16 i …, columns 16 c ….
template <int Blocks>
__attribute__((noinline)) void tile_amx_bf16(const std::byte* panel, int k, const std::uint16_t* a, float* out) {
  const auto stride = static_cast<std::size_t>(k) * 2;
  const std::uint16_t* lower = a + std::int64_t{16} * k;
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (Blocks == 2) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int i = 0; i < k; i += kGroup, panel += kGroup / 2 * kPanel * 4) {
    _tile_loadd(4, a + i, stride);
    _tile_loadd(6, panel, kPanel * 4);
    _tile_loadd(7, panel + 64, kPanel * 4);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (Blocks == 2) {
      _tile_loadd(5, lower + i, stride);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, out, kPanel * 4);
  _tile_stored(1, out + 16, kPanel * 4);
  if constexpr (Blocks == 2) {
    _tile_stored(2, out + 16 * kPanel, kPanel * 4);
    _tile_stored(3, out + 16 * kPanel + 16, kPanel * 4);
  }
}

void linear_bf16_amx(const std::byte* panel, int k, const std::uint16_t* a, int n_rows, float* out) {
  for (int n; n_rows > 0; n_rows -= n, a += std::int64_t{n} * k, out += n * kPanel) {
    n = n_rows >= 32 ? 32 : n_rows < 16 ? n_rows : 16;
    configure(n < 16 ? n : 16, 2 * kGroup);
    n == 32 ? tile_amx_bf16<2>(panel, k, a, out) : tile_amx_bf16<1>(panel, k, a, out);
  }
  _tile_release();
}

}  // namespace
