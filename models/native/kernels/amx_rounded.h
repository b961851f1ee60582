// Quantised weights in mode w4a16 on AMX tiles: a block at a time becomes bf16 numbers in the first cache, since the sums of a
// group cannot be scaled in a tile, and is multiplied there. A row's bits do not depend on how many rows there are.
// Not alone because `Vec` and the formats come from the AMX unit.
#pragma once

#include "models/native/kernels/amx_bf16.h"
#include "models/native/kernels/amx_unpack.h"

namespace {

constexpr int kBlockGroups = 12;  // 24 KB

// Tiles Sum and Sum + 1 += the products of a group.
template <int Sum>
MIE_INLINE inline void multiply_group(const std::byte* a, std::size_t row_bytes, const std::byte* weights) {
  _tile_loadd(4, a, row_bytes);
  _tile_loadd(6, weights, kPanel * 4);
  _tile_loadd(7, weights + 64, kPanel * 4);
  _tile_dpbf16ps(Sum, 4, 6);
  _tile_dpbf16ps(Sum + 1, 4, 7);
}

// Sums of up to 16 rows over n_groups groups of bf16 weights: even groups in tiles 0 and 1, odd ones in 2 and 3, since each
// product waits for the one before it in its tile.
__attribute__((noinline)) inline void tile_rounded_amx(const std::byte* weights, int n_groups, const TileRows& rows,
                                                       float* even, float* odd) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int g = 0; g < n_groups; ++g, weights += kGroupBytes) {
    const std::byte* a = rows.first + g * 2 * kGroup;
    g % 2 == 0 ? multiply_group<0>(a, rows.row_bytes, weights) : multiply_group<2>(a, rows.row_bytes, weights);
  }
  _tile_stored(0, even, kPanel * 4);
  _tile_stored(1, even + 16, kPanel * 4);
  _tile_stored(2, odd, kPanel * 4);
  _tile_stored(3, odd + 16, kPanel * 4);
}

// out += even + odd, or starts it.
inline void add_sums(const float* even, const float* odd, int n, bool more, float* out) {
  for (int i = 0; i < n; i += 16) {
    const auto sum = Vec::add(Vec::load(even + i), Vec::load(odd + i));
    Vec::store(out + i, more ? Vec::add(Vec::load(out + i), sum) : sum);
  }
}

// Over a block of weights. Rows share it 16 at a time.
inline void block_amx(const std::byte* weights, int n_groups, TileRows rows, bool more) {
  alignas(64) float even[kTileRows * kPanel], odd[kTileRows * kPanel];
  int configured = 0;
  while (rows.n_rows > 0) {
    const int n = rows.n_rows < kTileRows ? rows.n_rows : kTileRows;
    if (n != configured) configure(n, 2 * kGroup);
    configured = n;
    tile_rounded_amx(weights, n_groups, rows, even, odd);
    add_sums(even, odd, n * kPanel, more, rows.out);
    rows.skip(n);
  }
}

template <class Format>
void linear_rounded_amx(const std::byte* panel, int k, const std::uint16_t* a, int stride, int n_rows, float* out) {
  alignas(64) std::byte weights[kBlockGroups * kGroupBytes];
  const int n_groups = k / kGroup;
  Ahead ahead{panel + kBlockBytes, Format::kRecordBytes / 64};
  for (int first = 0; first < n_groups; first += kBlockGroups, a += kBlockGroups * kGroup) {
    const int n = n_groups - first < kBlockGroups ? n_groups - first : kBlockGroups;
    for (int g = 0; g < n; ++g, panel += Format::kRecordBytes) {
      ahead.fetch();
      unpack_bf16<Format>(panel, weights + g * kGroupBytes);
    }
    block_amx(weights, n, rows_of(a, stride, n_rows, out), first > 0);
  }
  _tile_release();
}

}  // namespace
