// The integer kernels on AMX tiles, for 16 rows at a time. A group of 32 inputs has its own scales, which a tile cannot apply:
// so the sums of each group leave their tile for the first cache, and vectors fold them as in linear_tile.h, in the same order,
// while the next group is multiplied. Sums of integers are exact: the bits are those of every other unit.
// Not alone because `Vec` and the formats come from the AMX unit.
#pragma once

#include "models/native/kernels/amx_tiles.h"
#include "models/native/kernels/linear_tile.h"

namespace {

constexpr int kS8Rows = kGroup / 4;                           // of a weight tile: four inputs for each of 16 outputs
constexpr int kS8GroupBytes = kCols * kS8Rows * 64;           // [2 column blocks][8][64]
constexpr int kMaxGroups = kBlockBytes / Q4_0::kRecordBytes;  // of a block, in the smallest format

// The weights of a group as signed bytes, zero point taken off.
template <class Format>
inline void unpack_s8(const std::byte* record, std::byte* to) {
  const auto zero = _mm512_set1_epi8(static_cast<char>(Format::kZero));
  const auto put = [&](int column, int row, Vec::Bytes w)
                       MIE_INLINE { _mm512_store_si512(to + (column * kS8Rows + row) * 64, _mm512_sub_epi8(w, zero)); };
  unroll<kCols>([&](auto c) MIE_INLINE {
    unroll<kGroup * Format::kBits / 32>([&](auto i) MIE_INLINE {
      const auto w = Vec::load64(record + (i * kCols + c) * 64);
      if constexpr (Format::kBits == 8) {
        put(c, i, w);
      } else {
        put(c, 2 * i, Vec::low_nibbles(w));
        put(c, 2 * i + 1, Vec::high_nibbles(w));
      }
    });
  });
}

// 16 rows by the 16 outputs from `column` on. `unpacked`: the block's weights, group after group.
template <class Format>
__attribute__((noinline)) void tile_s8_amx(const std::byte* unpacked, const Block<ActS8>& block, int column, Ahead& ahead) {
  alignas(64) std::int32_t sums[2][kTileRows][16];
  const std::byte* scales = block.records + Format::kScaleAt + column * 32;
  const auto row_bytes = static_cast<std::size_t>(block.stride) * sizeof(ActS8);
  const auto multiply = [&](int g) MIE_INLINE {
    _tile_loadd(4, block.acts[g].q, row_bytes);
    _tile_loadd(6, unpacked + g * kS8GroupBytes + column * kS8Rows * 64, 64);
    _tile_zero(0);
    _tile_dpbssd(0, 4, 6);
    _tile_stored(0, sums[g % 2], 64);
  };
  RowCursor<ActS8, kTileRows> a(block.acts, block.stride);
  FloatTile<kTileRows, 1> y;
  start<kTileRows, 1>(block.out + column * 16, block.more, y);
  multiply(0);
  for (int g = 0; g < block.n; ++g, scales += Format::kRecordBytes, a.advance(1)) {
    ahead.fetch();
    if (g + 1 < block.n) multiply(g + 1);
    const std::int32_t(*sum)[16] = sums[g % 2];
    fold_s8<Format, kTileRows, 1>(scales, a, y, [&](auto r, auto) MIE_INLINE { return _mm512_load_si512(sum[r]); });
  }
  store<kTileRows, 1>(y, block.out + column * 16);
}

// n_tiles times 16 rows.
template <class Format>
void linear_s8_tiles(const std::byte* panel, int k, const ActS8* a, int n_tiles, float* out) {
  alignas(64) std::byte unpacked[kMaxGroups * kS8GroupBytes];
  const int n_groups = k / kGroup, at_once = kBlockBytes / Format::kRecordBytes;
  const auto tiles = [&](Block<ActS8> block, Ahead ahead) {
    for (int g = 0; g < block.n; ++g) {
      unpack_s8<Format>(block.records + g * Format::kRecordBytes, unpacked + g * kS8GroupBytes);
    }
    for (int tile = 0; tile < n_tiles; ++tile, block.skip_rows(kTileRows)) {
      for (int c = 0; c < kCols; ++c) tile_s8_amx<Format>(unpacked, block, c, ahead);
    }
  };
  configure(kTileRows, kGroup);
  each_block<TileS8<Format>>({panel, n_groups, a, n_groups, out, false}, at_once, kCols * n_tiles, tiles);
  _tile_release();
}

// Fewer rows do not pay for unpacking: they take the vector kernel, as do those past the last whole 16.
constexpr int kTiledFrom = 2 * kTileRows;

template <class Format, int Index>
void linear_s8_amx(const std::byte* panel, int k, const ActS8* a, int n_rows, float* out) {
  const int n_tiles = n_rows < kTiledFrom ? 0 : n_rows / kTileRows, n_tiled = n_tiles * kTileRows;
  if (n_tiles > 0) linear_s8_tiles<Format>(panel, k, a, n_tiles, out);
  if (n_tiled == n_rows) return;
  const auto vectors = mie::native::kernel_table(mie::native::Isa::kAvx512VnniBf16).linear_s8[Index];
  vectors(panel, k, a + std::ptrdiff_t{n_tiled} * (k / kGroup), n_rows - n_tiled, out + n_tiled * kPanel);
}

}  // namespace
