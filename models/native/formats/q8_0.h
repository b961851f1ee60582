// Q8_0: w = scale * q, q -128…127 stored as q + 128, per group of 32. Record: 16 lines [k / 4][2 column blocks] with byte
// 4c + j = column 16b + c, k = 4i + j; then scale[32] fp16: 1088 B, 8.5 bits.
// Not alone because the tile types come from linear_tile.h in the including ISA unit.
#pragma once

namespace {

struct Q8_0 {
  static constexpr int kScaleAt = kGroup * kPanel, kMinAt = 0, kRecordBytes = kScaleAt + 64;
  static constexpr int kZero = Vec::kSignedW8 ? 0 : 128;
  static constexpr bool kHasMin = false;

  template <int R>
  MIE_INLINE static inline void dot_s8(const std::byte* record, const std::int8_t* q, int k, IntTile<R>& dot) {
    unroll<kGroup / 4>([&](auto i) MIE_INLINE {
      unroll<kCols>([&](auto c) MIE_INLINE {
        const auto w = Vec::load64(record + (i * kCols + c) * 64);
        unroll<R>([&](auto r) MIE_INLINE { dot[r][c] = Vec::dot_w8(dot[r][c], w, q + r * k + 4 * i); });
      });
    });
  }

  // q = 16 * (high nibble - 8) + low nibble, both exact in bf16. Nibbles 0, 1 of a lane's two halves are of k = 4i and
  // 4i + 2, nibbles 2, 3 of 4i + 1 and 4i + 3: the pairs of ActOrder::kSplit at 0 and 4 (i even) or 2 and 6 (i odd).
  template <int R>
  MIE_INLINE static inline void dot_bf16(const std::byte* record, const std::uint16_t* a, int k, FloatTile<R>& dot) {
    const auto low = Vec::nibble_table(0, 1), high = Vec::nibble_table(-8, 16);
    unroll<kGroup / 4>([&](auto i) MIE_INLINE {
      unroll<kCols>([&](auto c) MIE_INLINE {
        const auto w = Vec::load64(record + (i * kCols + c) * 64);
        unroll<4>([&](auto n) MIE_INLINE {
          const auto pair = Vec::template nibble_pair<n.value>(n % 2 == 0 ? low : high, w);
          unroll<R>([&](auto r) MIE_INLINE {
            dot[r][c] = Vec::dot_pair(dot[r][c], pair, a + r * k + 8 * (i / 2) + 2 * (i % 2) + 4 * (n / 2));
          });
        });
      });
    });
  }
};

}  // namespace
