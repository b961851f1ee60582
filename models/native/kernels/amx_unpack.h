// Weights of one group from their packed record to the layout of a weight tile: [column block][row][64 bytes], a row being
// the inputs that one 32-bit lane multiplies, for 16 outputs.
// Not alone because `Vec` comes from the AMX unit.
#pragma once

#include "models/native/kernels/linear_tile.h"

#include <immintrin.h>

namespace {

// Rows of four inputs: a line's low nibbles, then its high ones (formats/nibbles.h).
inline void unpack_nibbles_s8(const std::byte* record, std::byte* to) {
  unroll<kGroup / 8>([&](auto i) MIE_INLINE {
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto w = Vec::load64(record + (i * kCols + c) * 64);
      std::byte* row = to + (c * (kGroup / 4) + 2 * i) * 64;
      _mm512_store_si512(row, Vec::low_nibbles(w));
      _mm512_store_si512(row + 64, Vec::high_nibbles(w));
    });
  });
}

// Rows of two inputs, in the pairs of ActSplit. Nibble n means n + First.
template <int First>
void unpack_nibbles_bf16(const std::byte* record, std::byte* to) {
  const auto table = Vec::nibble_table<First>();
  unroll<kGroup / 8>([&](auto i) MIE_INLINE {
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto w = Vec::load64(record + (i * kCols + c) * 64);
      std::byte* row = to + (c * (kGroup / 2) + 4 * i) * 64;
      unroll<4>([&](auto n) MIE_INLINE { _mm512_store_si512(row + n * 64, Vec::nibble_pair<n.value>(table, w)); });
    });
  });
}

// The same for 8-bit weights: see q8_0.h for which bytes are a pair.
inline void unpack_bytes_bf16(const std::byte* record, std::byte* to) {
  unroll<kGroup / 4>([&](auto i) MIE_INLINE {
    unroll<kCols>([&](auto c) MIE_INLINE {
      const auto w = Vec::load64(record + (i * kCols + c) * 64);
      std::byte* row = to + (c * (kGroup / 2) + 4 * (i / 2) + i % 2) * 64;
      _mm512_store_si512(row, Vec::byte_pair<0>(w));
      _mm512_store_si512(row + 2 * 64, Vec::byte_pair<1>(w));
    });
  });
}

}  // namespace
