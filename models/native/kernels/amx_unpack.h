// Quantised weights of one group as bf16 numbers, rounded once, where a weight tile reads them: [pair of inputs][32 outputs]
// [2], 128 bytes a row, as bf16 panels are stored. Pairs are those of ActSplit.
// Not alone because `Vec` comes from the AMX unit.
#pragma once

#include "models/native/kernels/linear_tile.h"

#include <immintrin.h>

namespace {

// Scale and minimum of 16 outputs.
struct ColumnScale {
  Vec::F32 scale, min;
};

template <class Format>
MIE_INLINE inline ColumnScale column_scale(const std::byte* record, int column) {
  ColumnScale all{Vec::load_half16(record + Format::kScaleAt + column * 32), Vec::zero()};
  if constexpr (Format::kHasMin) all.min = Vec::load_half16(record + Format::kMinAt + column * 32);
  return all;
}

// Small integers in bf16, exact, to scale * q + min.
MIE_INLINE inline Vec::Pair scaled(Vec::Pair q, const ColumnScale& by) {
  const auto first = _mm512_castsi512_ps(_mm512_slli_epi32(q, 16));
  const auto second = _mm512_castsi512_ps(_mm512_and_si512(q, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
  return Vec::pair_of(Vec::fma(first, by.scale, by.min), Vec::fma(second, by.scale, by.min));
}

MIE_INLINE inline void store_pair(std::byte* to, int pair, int column, Vec::Pair w) {
  _mm512_store_si512(to + (pair * kCols + column) * 64, w);
}

template <class Format>
inline void unpack_bf16(const std::byte* record, std::byte* to) {
  unroll<kCols>([&](auto c) MIE_INLINE {
    const ColumnScale by = column_scale<Format>(record, c);
    if constexpr (Format::kBits == 8) {
      unroll<kGroup / 4>([&](auto i) MIE_INLINE {  // see q8_0.h for which bytes are a pair
        const auto w = Vec::load64(record + (i * kCols + c) * 64);
        const int pair = 4 * (i / 2) + i % 2;
        store_pair(to, pair, c, scaled(Vec::byte_pair<0>(w), by));
        store_pair(to, pair + 2, c, scaled(Vec::byte_pair<1>(w), by));
      });
    } else {
      const auto table = Vec::nibble_table<-Format::kZero>();
      unroll<kGroup / 8>([&](auto i) MIE_INLINE {
        const auto w = Vec::load64(record + (i * kCols + c) * 64);
        unroll<4>([&](auto n) MIE_INLINE { store_pair(to, 4 * i + n, c, scaled(Vec::nibble_pair<n.value>(table, w), by)); });
      });
    }
  });
}

}  // namespace
