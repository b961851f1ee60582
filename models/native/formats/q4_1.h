// Q4_1: w = scale * q + min, q 0…15, per group of 32. Record: nibble lines, scale[32] fp16, min[32] fp16: 640 B, 5.0 bits.
// Not alone because the tile types come from linear_tile.h in the including ISA unit.
#pragma once

#include "models/native/formats/nibbles.h"

namespace {

struct Q4_1 {
  static constexpr int kScaleAt = kNibbleBytes, kMinAt = kNibbleBytes + 64, kRecordBytes = kNibbleBytes + 128;
  static constexpr int kZero = 0;
  static constexpr bool kHasMin = true;

  template <int R>
  MIE_INLINE static inline void dot_s8(const std::byte* record, const std::int8_t* q, int k, IntTile<R>& dot) {
    dot_nibbles_s8<R>(record, q, k, dot);
  }
  template <int R>
  MIE_INLINE static inline void dot_bf16(const std::byte* record, const std::uint16_t* a, int k, FloatTile<R>& dot) {
    dot_nibbles_bf16<R>(record, a, k, /*first=*/0, dot);
  }
};

}  // namespace
