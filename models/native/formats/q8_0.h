// Q8_0: w = scale * q, q -128…127 stored as q + 128, per group of 32. Record: 16 lines [k / 4][2 column blocks] with byte
// 4c + j = column 16b + c, k = 4i + j; then scale[32] fp16: 1088 B, 8.5 bits.
// Not alone because the tile types come from linear_tile.h in the including ISA unit.
#pragma once

namespace {

struct Q8_0 {
  static constexpr int kScaleAt = kGroup * kPanel, kMinAt = 0, kRecordBytes = kScaleAt + 64;
  static constexpr int kZero = Vec::kSignedW8 ? 0 : 128;
  static constexpr int kBits = 8;
  static constexpr bool kHasMin = false;

  template <int R, int C>
  MIE_INLINE static inline void dot_s8(const std::byte* lines, const RowCursor<ActS8, R>& a, IntTile<R, C>& dot) {
    unroll<kGroup / 4>([&](auto i) MIE_INLINE {
      Vec::Bytes w[C];
      unroll<C>([&](auto c) MIE_INLINE { w[c] = Vec::load64(lines + (i * kCols + c) * 64); });
      unroll<R>([&](auto r) MIE_INLINE {
        unroll<C>([&](auto c) MIE_INLINE { dot[r][c] = Vec::dot_w8(dot[r][c], w[c], a.row(r)->q + 4 * i); });
      });
    });
  }

  // Byte j of a lane of line i is of input 4i + j: bytes 0 and 2 are the pair of ActSplit at 0 (i even) or 2 (i odd) of its
  // eight inputs, bytes 1 and 3 the one at 4 or 6.
  template <int R, int C>
  MIE_INLINE static inline void dot_bf16(const std::byte* lines, const RowCursor<ActSplit, R>& a, FloatTile<R, C>& dot) {
    unroll<kGroup / 4>([&](auto i) MIE_INLINE {
      unroll<2>([&](auto n) MIE_INLINE {
        Vec::Pair w[C];
        unroll<C>([&](auto c)
                      MIE_INLINE { w[c] = Vec::template byte_pair<n.value>(Vec::load64(lines + (i * kCols + c) * 64)); });
        unroll<R>([&](auto r) MIE_INLINE {
          const std::uint16_t* pair = a.row(r)->a + 8 * (i / 2) + 2 * (i % 2) + 4 * n;
          unroll<C>([&](auto c) MIE_INLINE { dot[r][c] = Vec::dot_pair(dot[r][c], w[c], pair); });
        });
      });
    });
  }
};

}  // namespace
