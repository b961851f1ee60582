// What the 4-bit formats share: a group of 32 inputs x 32 outputs as 8 lines of 64 bytes, [k / 8][2 column blocks].
// Byte 4c + j of the line (i, b) is of column 16b + c: low nibble k = 8i + j, high nibble k = 8i + 4 + j.
// Included by the ISA units after linear_tile.h; internal linkage.
// Not alone because the tile types come from linear_tile.h in the including ISA unit.
#pragma once

namespace {

inline constexpr int kNibbleBytes = kGroup * kPanel / 2;  // 512

template <int R>
MIE_INLINE inline void dot_nibbles_s8(const std::byte* record, const std::int8_t* q, int k, IntTile<R>& dot) {
  unroll<kGroup / 8>([&](auto i) MIE_INLINE {
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto w = Vec::load64(record + (i * kCols + c) * 64);
      const auto low = Vec::low_nibbles(w), high = Vec::high_nibbles(w);
      unroll<R>([&](auto r) MIE_INLINE {
        dot[r][c] = Vec::dot_nibbles(dot[r][c], low, q + r * k + 8 * i);
        dot[r][c] = Vec::dot_nibbles(dot[r][c], high, q + r * k + 8 * i + 4);
      });
    });
  });
}

// 16-bit half h of a lane holds k = 8i + (0, 4, 1, 5) for h = 0 and (2, 6, 3, 7) for h = 1: nibble n of both halves is
// the pair n of ActOrder::kSplit, in the order (0,2) (4,6) (1,3) (5,7).
template <int R>
MIE_INLINE inline void dot_nibbles_bf16(const std::byte* record, const std::uint16_t* a, int k, int first, FloatTile<R>& dot) {
  const auto table = Vec::nibble_table(first, 1);
  unroll<kGroup / 8>([&](auto i) MIE_INLINE {
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto w = Vec::load64(record + (i * kCols + c) * 64);
      unroll<4>([&](auto n) MIE_INLINE {
        const auto pair = Vec::template nibble_pair<n.value>(table, w);
        unroll<R>([&](auto r) MIE_INLINE { dot[r][c] = Vec::dot_pair(dot[r][c], pair, a + r * k + 8 * i + 2 * n); });
      });
    });
  });
}

}  // namespace
