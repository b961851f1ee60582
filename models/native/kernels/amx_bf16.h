// The linear kernel of bf16 weights on AMX tiles: panels are weight tiles as they lie, and sums stay in tiles over all inputs.
// A row's bits do not depend on how many rows a tile has.
// Not alone because `Vec` comes from the AMX unit.
#pragma once

#include "models/native/kernels/amx_tiles.h"
#include "models/native/kernels/linear_tile.h"

namespace {

constexpr int kGroupBytes = 2 * kGroup * kPanel;  // of bf16 weights

// bf16 activations, rows so many bytes apart.
struct TileRows {
  const std::byte* first;
  std::size_t row_bytes;
  int n_rows;
  float* out;  // [n_rows, 32]

  void skip(int n) {
    first += static_cast<std::size_t>(n) * row_bytes;
    n_rows -= n;
    out += n * kPanel;
  }
};

inline TileRows rows_of(const std::uint16_t* a, int stride, int n_rows, float* out) {
  return {reinterpret_cast<const std::byte*>(a), static_cast<std::size_t>(stride) * 2, n_rows, out};
}

// 16 or 32 rows. Tile 2 * i + c: rows 16 i …, columns 16 c …. Cold: the weights come from memory.
template <int Blocks, bool Cold>
__attribute__((noinline)) void tile_bf16_amx(const std::byte* weights, int n_groups, const TileRows& rows) {
  constexpr int kBytes = kPanel * 4;
  const std::size_t lower = kTileRows * rows.row_bytes;
  Ahead ahead{weights + kBlockBytes, kGroupBytes / 64};
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int g = 0; g < n_groups; ++g, weights += kGroupBytes) {
    if constexpr (Cold) ahead.fetch();
    const std::byte* a = rows.first + g * 2 * kGroup;
    _tile_loadd(4, a, rows.row_bytes);
    _tile_loadd(6, weights, kBytes);
    _tile_loadd(7, weights + 64, kBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (Blocks == 2) {
      _tile_loadd(5, a + lower, rows.row_bytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, rows.out, kBytes);
  _tile_stored(1, rows.out + 16, kBytes);
  if constexpr (Blocks == 2) {
    _tile_stored(2, rows.out + kTileRows * kPanel, kBytes);
    _tile_stored(3, rows.out + kTileRows * kPanel + 16, kBytes);
  }
}

// As many rows as one pass takes.
template <bool Cold>
MIE_INLINE inline int pass_amx(const std::byte* weights, int n_groups, const TileRows& rows) {
  const int n = rows.n_rows >= 2 * kTileRows ? 2 * kTileRows : rows.n_rows < kTileRows ? rows.n_rows : kTileRows;
  configure(n < kTileRows ? n : kTileRows, 2 * kGroup);
  n == 2 * kTileRows ? tile_bf16_amx<2, Cold>(weights, n_groups, rows) : tile_bf16_amx<1, Cold>(weights, n_groups, rows);
  return n;
}

inline void linear_bf16_amx(const std::byte* panel, int k, const std::uint16_t* a, int stride, int n_rows, float* out) {
  TileRows rows = rows_of(a, stride, n_rows, out);
  rows.skip(pass_amx<true>(panel, k / kGroup, rows));
  while (rows.n_rows > 0) rows.skip(pass_amx<false>(panel, k / kGroup, rows));
  _tile_release();
}

}  // namespace
