// Quantised weights of one group as bf16 numbers, rounded once, where a weight tile reads them: [pair of inputs][32 outputs]
// [2], 128 bytes a row, as bf16 panels are stored.
// Not alone because `Vec` comes from the AMX unit.
#pragma once

#include "models/native/kernels/linear_tile.h"

#include <immintrin.h>

namespace {

// (a & mask) | b, as one instruction.
MIE_INLINE inline __m512i and_then_or(__m512i a, int mask, __m512i b) {
  return _mm512_ternarylogic_epi32(a, _mm512_set1_epi32(mask), b, 0xea);
}

// A stored number q of N bits that stands at bit `Place` of a lane becomes an fp32 number without a shift or a conversion: as
// part of the mantissa of 1 + q * 2^(Place - 23). The affine map of the format absorbs the rest. In place 8 and up the sum of
// its constants loses less than a 256th of a step of q.
template <int Place>
struct Affine {
  Vec::F32 scale, min;

  template <int Zero>
  static MIE_INLINE Affine of(Vec::F32 scale, Vec::F32 min) {
    constexpr auto kStep = static_cast<float>(1 << (23 - Place));
    return {Vec::mul(scale, Vec::set1(kStep)), Vec::fma(scale, Vec::set1(-kStep - Zero), min)};
  }

  template <int Bits>
  MIE_INLINE Vec::F32 value(__m512i lanes) const {
    constexpr int kMask = ((1 << Bits) - 1) << Place, kOne = 0x3f800000;
    const auto bits = and_then_or(lanes, kMask, _mm512_set1_epi32(kOne));
    return Vec::fma(_mm512_castsi512_ps(bits), scale, min);
  }
};

// Rounded to nearest, ties away from zero.
MIE_INLINE inline void store_pair(std::byte* to, int pair, int column, Vec::F32 first, Vec::F32 second) {
  constexpr auto kUpperHalf = static_cast<int>(0xffff0000U);
  const auto half = _mm512_set1_epi32(0x8000);
  const auto low = _mm512_srli_epi32(_mm512_add_epi32(_mm512_castps_si512(first), half), 16);
  const auto high = _mm512_add_epi32(_mm512_castps_si512(second), half);
  _mm512_store_si512(to + (pair * kCols + column) * 64, and_then_or(high, kUpperHalf, low));
}

// Nibble n of a lane is of input n / 2 for even n, 4 + n / 2 for odd n, of eight: see nibbles.h.
template <int Zero>
MIE_INLINE inline void unpack_nibbles(const std::byte* lines, std::byte* to, int column, Vec::F32 scale, Vec::F32 min) {
  const auto at8 = Affine<8>::of<Zero>(scale, min);
  const auto at12 = Affine<12>::of<Zero>(scale, min);
  const auto at16 = Affine<16>::of<Zero>(scale, min);
  unroll<kGroup / 8>([&](auto i) MIE_INLINE {
    const auto w = Vec::load64(lines + (i * kCols + column) * 64);
    const auto lower = _mm512_slli_epi32(w, 8), upper = _mm512_srli_epi32(w, 12);
    store_pair(to, 4 * i, column, at8.template value<4>(lower), at8.template value<4>(w));
    store_pair(to, 4 * i + 1, column, at16.template value<4>(w), at12.template value<4>(upper));
    store_pair(to, 4 * i + 2, column, at12.template value<4>(lower), at12.template value<4>(w));
    store_pair(to, 4 * i + 3, column, at8.template value<4>(upper), at16.template value<4>(upper));
  });
}

// Byte j of a lane of line i is of input 4 i + j.
template <int Zero>
MIE_INLINE inline void unpack_bytes(const std::byte* lines, std::byte* to, int column, Vec::F32 scale) {
  const auto at8 = Affine<8>::of<Zero>(scale, Vec::zero());
  unroll<kGroup / 4>([&](auto i) MIE_INLINE {
    const auto w = Vec::load64(lines + (i * kCols + column) * 64);
    store_pair(to, 2 * i, column, at8.template value<8>(_mm512_slli_epi32(w, 8)), at8.template value<8>(w));
    store_pair(to, 2 * i + 1, column, at8.template value<8>(_mm512_srli_epi32(w, 8)),
               at8.template value<8>(_mm512_srli_epi32(w, 16)));
  });
}

template <class Format>
inline void unpack_bf16(const std::byte* record, std::byte* to) {
  unroll<kCols>([&](auto c) MIE_INLINE {
    const auto scale = Vec::load_half16(record + Format::kScaleAt + c * 32);
    if constexpr (Format::kBits == 8) {
      unpack_bytes<Format::kZero>(record, to, c, scale);
    } else if constexpr (Format::kHasMin) {
      unpack_nibbles<Format::kZero>(record, to, c, scale, Vec::load_half16(record + Format::kMinAt + c * 32));
    } else {
      unpack_nibbles<Format::kZero>(record, to, c, scale, Vec::zero());
    }
  });
}

}  // namespace
