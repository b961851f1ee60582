// What the 4-bit formats share: a group of 32 inputs x 32 outputs as 8 lines of 64 bytes, [k / 8][2 column blocks].
// Byte 4c + j of the line (i, b) is of column 16b + c: low nibble k = 8i + j, high nibble k = 8i + 4 + j.
// Included by the ISA units after linear_tile.h; internal linkage.
// Not alone because the tile types come from linear_tile.h in the including ISA unit.
#pragma once

namespace {

inline constexpr int kNibbleBytes = kGroup * kPanel / 2;  // 512

// A row's inputs are broadcast once for all columns, so rows are the innermost loop.
template <int R, int C>
MIE_INLINE inline void dot_nibbles_s8(const std::byte* lines, const RowCursor<ActS8, R>& a, IntTile<R, C>& dot) {
  unroll<kGroup / 8>([&](auto i) MIE_INLINE {
    Vec::Bytes low[C], high[C];
    unroll<C>([&](auto c) MIE_INLINE {
      const auto w = Vec::load64(lines + (i * kCols + c) * 64);
      low[c] = Vec::low_nibbles(w);
      high[c] = Vec::high_nibbles(w);
    });
    unroll<R>([&](auto r) MIE_INLINE {
      unroll<C>([&](auto c) MIE_INLINE { dot[r][c] = Vec::dot_nibbles(dot[r][c], low[c], a.row(r)->q + 8 * i); });
      unroll<C>([&](auto c) MIE_INLINE { dot[r][c] = Vec::dot_nibbles(dot[r][c], high[c], a.row(r)->q + 8 * i + 4); });
    });
  });
}

// 16-bit half h of a lane holds k = 8i + (0, 4, 1, 5) for h = 0 and (2, 6, 3, 7) for h = 1: nibble n of both halves is
// the pair n of ActSplit, in the order (0,2) (4,6) (1,3) (5,7). Nibble n means n + First.
template <int R, int C, int First>
MIE_INLINE inline void dot_nibbles_bf16(const std::byte* lines, const RowCursor<ActSplit, R>& a, FloatTile<R, C>& dot) {
  const auto table = Vec::nibble_table<First>();
  unroll<kGroup / 8>([&](auto i) MIE_INLINE {
    Vec::Bytes w[C];
    unroll<C>([&](auto c) MIE_INLINE { w[c] = Vec::load64(lines + (i * kCols + c) * 64); });
    unroll<4>([&](auto n) MIE_INLINE {
      Vec::Pair pair[C];
      unroll<C>([&](auto c) MIE_INLINE { pair[c] = Vec::template nibble_pair<n.value>(table, w[c]); });
      unroll<R>([&](auto r) MIE_INLINE {
        unroll<C>([&](auto c) MIE_INLINE { dot[r][c] = Vec::dot_pair(dot[r][c], pair[c], a.row(r)->a + 8 * i + 2 * n); });
      });
    });
  });
}

}  // namespace
