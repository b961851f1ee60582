// Sixteen 32-bit lanes in plain C++: the fallback for any machine and the reference of the kernel tests. Same packed bytes,
// same order of operations as the vector units. Internal linkage.
// Not alone because what a unit does not use of it would be a warning.
#pragma once

#include <cstddef>
#include <cstdint>

namespace {

struct Vec {
  struct F32 {
    float v[16];
  };
  struct I32 {
    std::int32_t v[16];
  };
  struct Bytes {
    std::uint8_t v[64];
  };

  static constexpr int kRowsS8 = 1, kWideRowsS8 = 1, kRowsW4A16 = 1, kWideRowsW4A16 = 1, kRowsBf16 = 1, kWideRowsBf16 = 1;
  static constexpr int kRowsAttend = 1;
  static constexpr int kAttendVecs = 4;  // vectors of tokens or dimensions that attention holds at once
  static constexpr bool kSignedW8 = false;

  static inline F32 zero() { return set1(0); }
  static inline F32 set1(float x) {
    F32 y;
    for (float& lane : y.v) lane = x;
    return y;
  }
  static inline F32 mul(F32 a, F32 b) {
    for (int i = 0; i < 16; ++i) a.v[i] *= b.v[i];
    return a;
  }
  static inline F32 fma(F32 a, F32 b, F32 c) {
    for (int i = 0; i < 16; ++i) c.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
    return c;
  }
  static inline F32 to_f32(I32 a) {
    F32 y;
    for (int i = 0; i < 16; ++i) y.v[i] = static_cast<float>(a.v[i]);
    return y;
  }
  static inline F32 load_half16(const std::byte* p) {
    F32 y;
    for (int i = 0; i < 16; ++i) {
      std::uint16_t bits;
      __builtin_memcpy(&bits, p + 2 * i, 2);
      y.v[i] = half(bits);
    }
    return y;
  }
  static inline void store(float* p, F32 a) { __builtin_memcpy(p, a.v, 64); }
  static inline I32 set1_i32(std::int32_t x) {
    I32 y;
    for (std::int32_t& lane : y.v) lane = x;
    return y;
  }

  static inline F32 load(const float* p) {
    F32 y;
    __builtin_memcpy(y.v, p, 64);
    return y;
  }
  static inline F32 add(F32 a, F32 b) {
    for (int i = 0; i < 16; ++i) a.v[i] += b.v[i];
    return a;
  }
  static inline F32 sub(F32 a, F32 b) {
    for (int i = 0; i < 16; ++i) a.v[i] -= b.v[i];
    return a;
  }
  static inline F32 div(F32 a, F32 b) {
    for (int i = 0; i < 16; ++i) a.v[i] /= b.v[i];
    return a;
  }
  static inline F32 max(F32 a, F32 b) {
    for (int i = 0; i < 16; ++i) a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
  }
  static inline F32 min(F32 a, F32 b) {
    for (int i = 0; i < 16; ++i) a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
    return a;
  }
  static inline F32 abs(F32 a) {
    for (float& lane : a.v) lane = __builtin_fabsf(lane);
    return a;
  }
  static inline I32 round(F32 a) {  // to nearest even
    I32 y;
    for (int i = 0; i < 16; ++i) y.v[i] = static_cast<std::int32_t>(__builtin_rintf(a.v[i]));
    return y;
  }
  static inline I32 add_i32(I32 a, I32 b) {
    for (int i = 0; i < 16; ++i) a.v[i] += b.v[i];
    return a;
  }
  static inline F32 times_power_of_2(F32 a, I32 n) {  // exponent bits added: the result must be normal
    for (int i = 0; i < 16; ++i) a.v[i] = from_bits(to_bits(a.v[i]) + (static_cast<std::uint32_t>(n.v[i]) << 23));
    return a;
  }
  // Folds of the lanes: 8, 4, 2, 1 apart, in this order in every unit.
  static inline float sum_lanes(F32 a) {
    for (int half = 8; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) a.v[i] += a.v[i + half];
    }
    return a.v[0];
  }
  static inline float first(F32 a) { return a.v[0]; }  // lane 0
  static inline float max_lanes(F32 a) {
    for (int i = 1; i < 16; ++i) a.v[0] = a.v[0] > a.v[i] ? a.v[0] : a.v[i];
    return a.v[0];
  }
  static inline std::int32_t sum_lanes_i32(I32 a) {
    for (int i = 1; i < 16; ++i) a.v[0] += a.v[i];
    return a.v[0];
  }
  static inline void store_i8(std::int8_t* p, I32 a) {
    for (int i = 0; i < 16; ++i) p[i] = static_cast<std::int8_t>(a.v[i]);
  }
  // Round to nearest even; no NaN comes here.
  static inline void store_bf16(std::uint16_t* p, F32 a) {
    for (int i = 0; i < 16; ++i) p[i] = static_cast<std::uint16_t>(rounded(a.v[i]) >> 16);
  }
  static inline F32 round_to_bf16(F32 a) {
    for (float& lane : a.v) lane = from_bits(rounded(lane) & 0xffff0000U);
    return a;
  }
  // y where x >= limit, else 0 (also for NaN).
  static inline F32 zero_below(F32 x, float limit, F32 y) {
    for (int i = 0; i < 16; ++i) y.v[i] = x.v[i] >= limit ? y.v[i] : 0.0F;
    return y;
  }
  // NaN is not below.
  static inline bool all_below(F32 a, float limit) {
    bool all = true;
    for (const float lane : a.v) all &= lane < limit;
    return all;
  }
  // Lanes below n keep a, the others get b.
  static inline F32 first_lanes(int n, F32 a, F32 b) {
    for (int i = n < 0 ? 0 : n; i < 16; ++i) a.v[i] = b.v[i];
    return a;
  }

  static inline Bytes load64(const std::byte* p) {
    Bytes w;
    __builtin_memcpy(w.v, p, 64);
    return w;
  }
  static inline Bytes load32x2(const std::byte* lo, const std::byte* hi) {
    Bytes w;
    __builtin_memcpy(w.v, lo, 32);
    __builtin_memcpy(w.v + 32, hi, 32);
    return w;
  }
  static inline Bytes low_nibbles(Bytes w) {
    for (std::uint8_t& b : w.v) b &= 15;
    return w;
  }
  static inline Bytes high_nibbles(Bytes w) {
    for (std::uint8_t& b : w.v) b = static_cast<std::uint8_t>(b >> 4);
    return w;
  }
  static inline I32 dot_nibbles(I32 acc, Bytes w, const std::int8_t* a) {
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 4; ++j) acc.v[i] += std::int32_t{w.v[4 * i + j]} * a[j];
    }
    return acc;
  }
  static inline I32 dot_w8(I32 acc, Bytes w, const std::int8_t* a) { return dot_nibbles(acc, w, a); }

  // The value of nibble n is n + first.
  struct NibbleTable {
    int first;
  };
  template <int First>
  static inline NibbleTable nibble_table() {
    return {First};
  }
  struct Pair {
    F32 first, second;
  };
  static inline Pair bf16_pair(Bytes w) {
    Pair pair;
    for (int i = 0; i < 16; ++i) {
      pair.first.v[i] = bf16(static_cast<std::uint16_t>(w.v[4 * i] | w.v[4 * i + 1] << 8));
      pair.second.v[i] = bf16(static_cast<std::uint16_t>(w.v[4 * i + 2] | w.v[4 * i + 3] << 8));
    }
    return pair;
  }
  template <int Index>
  static inline Pair nibble_pair(NibbleTable table, Bytes w) {
    Pair pair;
    for (int i = 0; i < 16; ++i) {
      pair.first.v[i] = nibble(table, w.v[4 * i + Index / 2], Index % 2);
      pair.second.v[i] = nibble(table, w.v[4 * i + 2 + Index / 2], Index % 2);
    }
    return pair;
  }
  // Bytes Index and Index + 2 of each lane, stored as q + 128.
  template <int Index>
  static inline Pair byte_pair(Bytes w) {
    Pair pair;
    for (int i = 0; i < 16; ++i) {
      pair.first.v[i] = static_cast<float>(w.v[4 * i + Index] - 128);
      pair.second.v[i] = static_cast<float>(w.v[4 * i + Index + 2] - 128);
    }
    return pair;
  }
  static inline F32 dot_pair(F32 acc, Pair w, const std::uint16_t* a) {
    return fma(w.second, set1(bf16(a[1])), fma(w.first, set1(bf16(a[0])), acc));
  }

 private:
  static inline float nibble(NibbleTable table, int byte, int high) {
    return static_cast<float>(((high != 0 ? byte >> 4 : byte) & 15) + table.first);
  }
  static inline std::uint32_t to_bits(float x) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &x, 4);
    return bits;
  }
  static inline float from_bits(std::uint32_t bits) {
    float x;
    __builtin_memcpy(&x, &bits, 4);
    return x;
  }
  static inline std::uint32_t rounded(float x) {
    const std::uint32_t bits = to_bits(x);
    return bits + (bits >> 16 & 1U) + 0x7fffU;
  }
  static inline float bf16(std::uint16_t bits) { return from_bits(std::uint32_t{bits} << 16); }
  // IEEE binary16; a scale of 2^112 turns its exponent into fp32's, denormals included. Infinities and NaN are kept.
  static inline float half(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
    const std::uint32_t wide = std::uint32_t{bits & 0x7fffU} << 13;
    if ((bits & 0x7c00U) == 0x7c00U) return from_bits(sign | wide | 0x7f800000U);
    return from_bits(sign | to_bits(from_bits(wide) * 0x1p112F));
  }
};

}  // namespace
