// The bf16 linear kernels on AMX tiles. A tile instruction multiplies up to 16 rows by 16 outputs over 32 inputs and adds to
// fp32 sums that stay in tiles. Quantised weights become bf16 numbers on the way, a few groups at a time: the sums of a group
// cannot be scaled in a tile. A row's bits do not depend on how many rows a tile has.
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

// Every tile has rows of 64 bytes: the sums of 16 outputs, a group of one row's inputs, a pair of inputs for 16 outputs.
inline void configure(int n_rows) {
  TileConfig config;
  for (int tile = 0; tile < 6; ++tile) config.set(tile, n_rows, 64);
  for (int tile = 6; tile < 8; ++tile) config.set(tile, kGroup / 2, 64);
  _tile_loadconfig(&config);
}

constexpr int kTileRows = 16;
constexpr int kGroupBytes = 2 * kGroup * kPanel;  // of bf16 weights
constexpr int kUnpackedGroups = 12;               // at a time: 24 KB, which stay in the first cache

// bf16 activations: rows and groups of inputs are so many bytes apart.
struct TileRows {
  const std::byte* first;
  std::int64_t row_bytes, group_bytes;
  int n_rows;
  float* out;  // [n_rows, 32]

  MIE_INLINE const std::byte* group(int g, int row) const { return first + row * row_bytes + g * group_bytes; }
  void skip(int n) {
    first += n * row_bytes;
    n_rows -= n;
    out += n * kPanel;
  }
};

// 16 or 32 rows over n_groups groups of bf16 weights. Tile 2 * i + c: rows 16 i …, columns 16 c …. `more`: adds to what is in
// the outputs. Cold: the weights come from memory.
template <int Blocks, bool Cold>
__attribute__((noinline)) void tile_amx(const std::byte* weights, int n_groups, const TileRows& rows, bool more) {
  constexpr int kBytes = kPanel * 4;
  float* lower_out = rows.out + kTileRows * kPanel;
  if (more) {
    _tile_loadd(0, rows.out, kBytes);
    _tile_loadd(1, rows.out + 16, kBytes);
    if constexpr (Blocks == 2) {
      _tile_loadd(2, lower_out, kBytes);
      _tile_loadd(3, lower_out + 16, kBytes);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int g = 0; g < n_groups; ++g, weights += kGroupBytes) {
    if constexpr (Cold) fetch_ahead<kGroupBytes>(weights);
    _tile_loadd(4, rows.group(g, 0), static_cast<std::size_t>(rows.row_bytes));
    _tile_loadd(6, weights, kBytes);
    _tile_loadd(7, weights + 64, kBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (Blocks == 2) {
      _tile_loadd(5, rows.group(g, kTileRows), static_cast<std::size_t>(rows.row_bytes));
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, rows.out, kBytes);
  _tile_stored(1, rows.out + 16, kBytes);
  if constexpr (Blocks == 2) {
    _tile_stored(2, lower_out, kBytes);
    _tile_stored(3, lower_out + 16, kBytes);
  }
}

// As many rows as one pass takes.
template <bool Cold>
MIE_INLINE inline int pass_amx(const std::byte* weights, int n_groups, const TileRows& rows, bool more) {
  const int n = rows.n_rows >= 2 * kTileRows ? 2 * kTileRows : rows.n_rows < kTileRows ? rows.n_rows : kTileRows;
  configure(n < kTileRows ? n : kTileRows);
  n == 2 * kTileRows ? tile_amx<2, Cold>(weights, n_groups, rows, more) : tile_amx<1, Cold>(weights, n_groups, rows, more);
  return n;
}

inline void linear_bf16_amx(const std::byte* panel, int k, const std::uint16_t* a, int n_rows, float* out) {
  TileRows rows{reinterpret_cast<const std::byte*>(a), std::int64_t{k} * 2, 2 * kGroup, n_rows, out};
  rows.skip(pass_amx<true>(panel, k / kGroup, rows, false));
  while (rows.n_rows > 0) rows.skip(pass_amx<false>(panel, k / kGroup, rows, false));
  _tile_release();
}

template <class Format>
void linear_w4a16_amx(const std::byte* panel, int k, const ActSplit* a, int n_rows, float* out) {
  alignas(64) std::byte weights[kUnpackedGroups * kGroupBytes];
  const int n_groups = k / kGroup;
  const std::int64_t row_bytes = std::int64_t{n_groups} * static_cast<std::int64_t>(sizeof(ActSplit));
  for (int first = 0; first < n_groups; first += kUnpackedGroups) {
    const int n = n_groups - first < kUnpackedGroups ? n_groups - first : kUnpackedGroups;
    for (int g = 0; g < n; ++g) {
      const std::byte* record = panel + std::int64_t{first + g} * Format::kRecordBytes;
      fetch_ahead<Format::kRecordBytes>(record);
      unpack_bf16<Format>(record, weights + g * kGroupBytes);
    }
    TileRows rows{reinterpret_cast<const std::byte*>((a + first)->a), row_bytes, sizeof(ActSplit), n_rows, out};
    while (rows.n_rows > 0) rows.skip(pass_amx<false>(weights, n, rows, first > 0));
  }
  _tile_release();
}

}  // namespace
