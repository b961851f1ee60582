// Sixteen 32-bit lanes on AVX-512 with VNNI, with or without BF16. Included once by each AVX-512 unit; internal linkage.
// Not alone because its intrinsics need the flags of an AVX-512 unit.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Vec {
  using F32 = __m512;
  using I32 = __m512i;
  using Bytes = __m512i;  // 64 bytes

  // Rows of a tile, over half a panel and (Wide) over a whole one: at most 24 accumulators (of quantised weights half of them
  // integer ones) and what feeds them. Low ones under a sanitizer: the optimiser's work on the checks of a tile grows with the
  // square of their number, and each loop and each edge is there all the same.
#if defined(MIE_LOW_TILES)
  static constexpr int kRowsS8 = 3, kWideRowsS8 = 2;
  static constexpr int kRowsW4A16 = 3, kWideRowsW4A16 = 2, kRowsBf16 = 3, kWideRowsBf16 = 3, kRowsAttend = 2;
#elif defined(__AVX512BF16__)
  static constexpr int kRowsS8 = 12, kWideRowsS8 = 5;
  static constexpr int kRowsW4A16 = 11, kWideRowsW4A16 = 4, kRowsBf16 = 12, kWideRowsBf16 = 12, kRowsAttend = 6;
#else
  static constexpr int kRowsS8 = 12, kWideRowsS8 = 5;
  static constexpr int kRowsW4A16 = 9, kWideRowsW4A16 = 2, kRowsBf16 = 12, kWideRowsBf16 = 12, kRowsAttend = 5;
#endif
  static constexpr int kAttendVecs = 4;     // vectors of tokens or dimensions that attention holds at once
  static constexpr bool kSignedW8 = false;  // vpdpbusd takes 8-bit weights as q + 128

  static inline F32 zero() { return _mm512_setzero_ps(); }
  static inline F32 set1(float x) { return _mm512_set1_ps(x); }
  static inline F32 mul(F32 a, F32 b) { return _mm512_mul_ps(a, b); }
  static inline F32 fma(F32 a, F32 b, F32 c) { return _mm512_fmadd_ps(a, b, c); }
  static inline F32 to_f32(I32 a) { return _mm512_cvtepi32_ps(a); }
  static inline F32 load_half16(const std::byte* p) {
    return _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static inline void store(float* p, F32 a) { _mm512_storeu_ps(p, a); }
  static inline I32 set1_i32(std::int32_t x) { return _mm512_set1_epi32(x); }

  static inline F32 load(const float* p) { return _mm512_loadu_ps(p); }
  static inline F32 add(F32 a, F32 b) { return _mm512_add_ps(a, b); }
  static inline F32 sub(F32 a, F32 b) { return _mm512_sub_ps(a, b); }
  static inline F32 div(F32 a, F32 b) { return _mm512_div_ps(a, b); }
  static inline F32 max(F32 a, F32 b) { return _mm512_max_ps(a, b); }
  static inline F32 min(F32 a, F32 b) { return _mm512_min_ps(a, b); }
  static inline F32 abs(F32 a) { return _mm512_abs_ps(a); }
  static inline I32 round(F32 a) { return _mm512_cvtps_epi32(a); }  // to nearest even
  static inline I32 add_i32(I32 a, I32 b) { return _mm512_add_epi32(a, b); }
  static inline F32 times_power_of_2(F32 a, I32 n) {  // exponent bits added: the result must be normal
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), _mm512_slli_epi32(n, 23)));
  }
  // Folds of the lanes: 8, 4, 2, 1 apart, in this order in every unit.
  static inline float sum_lanes(F32 a) { return fold8(_mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1))); }
  static inline float first(F32 a) { return _mm512_cvtss_f32(a); }  // lane 0
  static inline float max_lanes(F32 a) { return _mm512_reduce_max_ps(a); }
  static inline std::int32_t sum_lanes_i32(I32 a) { return _mm512_reduce_add_epi32(a); }
  static inline void store_i8(std::int8_t* p, I32 a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a));
  }
  // Round to nearest even; no NaN comes here.
  static inline void store_bf16(std::uint16_t* p, F32 a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded(a), 16)));
  }
  static inline F32 round_to_bf16(F32 a) {
    return _mm512_castsi512_ps(_mm512_and_si512(rounded(a), _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
  }
  // y where x >= limit, else 0 (also for NaN).
  static inline F32 zero_below(F32 x, float limit, F32 y) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, set1(limit), _CMP_GE_OQ), y);
  }
  // NaN is not below.
  static inline bool all_below(F32 a, float limit) { return _mm512_cmp_ps_mask(a, set1(limit), _CMP_LT_OQ) == 0xffff; }
  // Lanes below n keep a, the others get b.
  static inline F32 first_lanes(int n, F32 a, F32 b) {
    return _mm512_mask_blend_ps(static_cast<__mmask16>(n >= 16 ? 0xffffU : (1U << n) - 1U), b, a);
  }

  static inline Bytes load64(const std::byte* p) { return _mm512_load_si512(p); }
  static inline Bytes load32x2(const std::byte* lo, const std::byte* hi) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(lo))),
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hi)), 1);
  }
  static inline Bytes low_nibbles(Bytes w) { return _mm512_and_si512(w, _mm512_set1_epi8(15)); }
#if defined(__GFNI__)
  // Bit i of each byte becomes its bit i + 4: one instruction, where shift and mask are two.
  static inline Bytes high_nibbles(Bytes w) {
    return _mm512_gf2p8affine_epi64_epi8(w, _mm512_set1_epi64(0x1020408000000000), 0);
  }
#else
  static inline Bytes high_nibbles(Bytes w) { return _mm512_and_si512(_mm512_srli_epi16(w, 4), _mm512_set1_epi8(15)); }
#endif

  // acc[lane] += dot of the 4 bytes of w[lane] with the 4 signed bytes at a.
  static inline I32 dot_nibbles(I32 acc, Bytes w, const std::int8_t* a) {
    return _mm512_dpbusd_epi32(acc, w, _mm512_set1_epi32(four_bytes(a)));
  }
  static inline I32 dot_w8(I32 acc, Bytes w, const std::int8_t* a) { return dot_nibbles(acc, w, a); }

  // The value of nibble n is n + First, as bf16: entry of a 16-entry table, twice.
  using NibbleTable = __m512i;
  template <int First>
  static inline NibbleTable nibble_table() {
    alignas(64) std::uint16_t entries[32];
    for (int i = 0; i < 32; ++i) {
      const auto value = static_cast<float>((i & 15) + First);
      std::uint32_t bits;
      __builtin_memcpy(&bits, &value, 4);
      entries[i] = static_cast<std::uint16_t>(bits >> 16);
    }
    return _mm512_load_si512(entries);
  }

#if defined(__AVX512BF16__)
  using Pair = __m512i;  // two bf16 a lane
  // Bytes Index and Index + 2 of each lane, stored as q + 128: 8 bits, exact in bf16.
  template <int Index>
  static inline Pair byte_pair(Bytes w) {
    const __m512i first = _mm512_castps_si512(byte_value<Index>(w)), second = _mm512_castps_si512(byte_value<Index + 2>(w));
    return _mm512_or_si512(_mm512_srli_epi32(first, 16), second);
  }
  static inline Pair bf16_pair(Bytes w) { return w; }
  // vpermw reads five index bits, so the neighbour nibble's lowest bit does not matter to a table that repeats.
  template <int Index>
  static inline Pair nibble_pair(NibbleTable table, Bytes w) {
    return _mm512_permutexvar_epi16(Index == 0 ? w : _mm512_srli_epi16(w, 4 * Index), table);
  }
  // acc[lane] += w[lane].0 * a[0] + w[lane].1 * a[1].
  static inline F32 dot_pair(F32 acc, Pair w, const std::uint16_t* a) {
    return _mm512_dpbf16_ps(acc, (__m512bh)w, (__m512bh)_mm512_set1_epi32(four_bytes(a)));
  }
#else
  struct Pair {
    __m512 first, second;
  };
  template <int Index>
  static inline Pair byte_pair(Bytes w) {
    return {byte_value<Index>(w), byte_value<Index + 2>(w)};
  }
  static inline Pair bf16_pair(Bytes w) {
    return {_mm512_castsi512_ps(_mm512_slli_epi32(w, 16)), _mm512_castsi512_ps(_mm512_and_si512(w, upper_half()))};
  }
  template <int Index>
  static inline Pair nibble_pair(NibbleTable table, Bytes w) {
    return bf16_pair(_mm512_permutexvar_epi16(Index == 0 ? w : _mm512_srli_epi16(w, 4 * Index), table));
  }
  static inline F32 dot_pair(F32 acc, Pair w, const std::uint16_t* a) {
    const __m512i both = _mm512_set1_epi32(four_bytes(a));
    acc = _mm512_fmadd_ps(w.first, _mm512_castsi512_ps(_mm512_slli_epi32(both, 16)), acc);
    return _mm512_fmadd_ps(w.second, _mm512_castsi512_ps(_mm512_and_si512(both, upper_half())), acc);
  }
  static inline __m512i upper_half() { return _mm512_set1_epi32(static_cast<int>(0xffff0000U)); }
#endif

 private:
  template <int Index>
  static inline F32 byte_value(Bytes w) {
    const __m512i q = _mm512_xor_si512(w, _mm512_set1_epi8(-128));
    return _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(q, 24 - 8 * Index), 24));
  }
  static inline __m512i rounded(F32 a) {
    const __m512i bits = _mm512_castps_si512(a);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    return _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  }
  static inline float fold8(__m256 a) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  static inline std::int32_t four_bytes(const void* p) {
    std::int32_t word;
    __builtin_memcpy(&word, p, 4);
    return word;
  }
};

}  // namespace
