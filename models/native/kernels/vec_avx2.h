// Sixteen 32-bit lanes as two AVX2 registers. Included once by the AVX2 unit; internal linkage.
// Not alone because its intrinsics need the flags of the AVX2 unit.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Vec {
  struct F32 {
    __m256 lo, hi;
  };
  struct I32 {
    __m256i lo, hi;
  };
  using Bytes = I32;  // 64 bytes

  // Rows of a tile, over half a panel and (Wide) over a whole one: what sixteen registers, two a vector, hold.
  static constexpr int kRowsS8 = 1, kWideRowsS8 = 0, kRowsW4A16 = 1, kWideRowsW4A16 = 0, kRowsBf16 = 4, kWideRowsBf16 = 0;
  static constexpr int kRowsAttend = 1;
  static constexpr int kAttendVecs = 2;    // vectors of tokens or dimensions that attention holds at once
  static constexpr bool kSignedW8 = true;  // the sign trick below needs q itself

  static inline F32 zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static inline F32 set1(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static inline F32 mul(F32 a, F32 b) { return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)}; }
  static inline F32 fma(F32 a, F32 b, F32 c) { return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)}; }
  static inline F32 to_f32(I32 a) { return {_mm256_cvtepi32_ps(a.lo), _mm256_cvtepi32_ps(a.hi)}; }
  static inline F32 load_half16(const std::byte* p) {
    const auto* halves = reinterpret_cast<const __m128i*>(p);
    return {_mm256_cvtph_ps(_mm_load_si128(halves)), _mm256_cvtph_ps(_mm_load_si128(halves + 1))};
  }
  static inline void store(float* p, F32 a) {
    _mm256_storeu_ps(p, a.lo);
    _mm256_storeu_ps(p + 8, a.hi);
  }
  static inline I32 set1_i32(std::int32_t x) { return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }

  static inline F32 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  static inline F32 add(F32 a, F32 b) { return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
  static inline F32 sub(F32 a, F32 b) { return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
  static inline F32 div(F32 a, F32 b) { return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)}; }
  static inline F32 max(F32 a, F32 b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
  static inline F32 min(F32 a, F32 b) { return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)}; }
  static inline F32 abs(F32 a) {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    return {_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
  }
  static inline I32 round(F32 a) { return {_mm256_cvtps_epi32(a.lo), _mm256_cvtps_epi32(a.hi)}; }  // to nearest even
  static inline I32 add_i32(I32 a, I32 b) { return {_mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi)}; }
  static inline F32 times_power_of_2(F32 a, I32 n) {  // exponent bits added: the result must be normal
    return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a.lo), _mm256_slli_epi32(n.lo, 23))),
            _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a.hi), _mm256_slli_epi32(n.hi, 23)))};
  }
  // Folds of the lanes: 8, 4, 2, 1 apart, in this order in every unit.
  static inline float sum_lanes(F32 a) { return fold8(_mm256_add_ps(a.lo, a.hi)); }
  static inline float first(F32 a) { return _mm256_cvtss_f32(a.lo); }  // lane 0
  static inline float max_lanes(F32 a) {
    const __m256 eight = _mm256_max_ps(a.lo, a.hi);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
  static inline std::int32_t sum_lanes_i32(I32 a) {
    const __m256i eight = _mm256_add_epi32(a.lo, a.hi);
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
  }
  static inline void store_i8(std::int8_t* p, I32 a) {  // values fit
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a.lo, a.hi), 0xd8);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
  }
  // Round to nearest even; no NaN comes here.
  static inline void store_bf16(std::uint16_t* p, F32 a) {
    const __m256i words = _mm256_packus_epi32(_mm256_srli_epi32(rounded(a.lo), 16), _mm256_srli_epi32(rounded(a.hi), 16));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(words, 0xd8));
  }
  static inline F32 round_to_bf16(F32 a) {
    const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U));
    return {_mm256_castsi256_ps(_mm256_and_si256(rounded(a.lo), upper)),
            _mm256_castsi256_ps(_mm256_and_si256(rounded(a.hi), upper))};
  }
  // y where x >= limit, else 0 (also for NaN).
  static inline F32 zero_below(F32 x, float limit, F32 y) {
    const __m256 least = _mm256_set1_ps(limit);
    return {_mm256_and_ps(_mm256_cmp_ps(x.lo, least, _CMP_GE_OQ), y.lo),
            _mm256_and_ps(_mm256_cmp_ps(x.hi, least, _CMP_GE_OQ), y.hi)};
  }
  // NaN is not below.
  static inline bool all_below(F32 a, float limit) {
    const __m256 least = _mm256_set1_ps(limit);
    return _mm256_movemask_ps(_mm256_and_ps(_mm256_cmp_ps(a.lo, least, _CMP_LT_OQ), _mm256_cmp_ps(a.hi, least, _CMP_LT_OQ))) ==
           0xff;
  }
  // Lanes below n keep a, the others get b.
  static inline F32 first_lanes(int n, F32 a, F32 b) {
    return {_mm256_blendv_ps(b.lo, a.lo, below(n, 0)), _mm256_blendv_ps(b.hi, a.hi, below(n, 8))};
  }

  static inline Bytes load64(const std::byte* p) {
    const auto* line = reinterpret_cast<const __m256i*>(p);
    return {_mm256_load_si256(line), _mm256_load_si256(line + 1)};
  }
  static inline Bytes load32x2(const std::byte* lo, const std::byte* hi) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(lo)), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hi))};
  }
  static inline Bytes low_nibbles(Bytes w) { return {low(w.lo), low(w.hi)}; }
  static inline Bytes high_nibbles(Bytes w) { return {low(_mm256_srli_epi16(w.lo, 4)), low(_mm256_srli_epi16(w.hi, 4))}; }

  // Nibbles: 15 * 127 * 2 fits the 16-bit sums of vpmaddubsw.
  static inline I32 dot_nibbles(I32 acc, Bytes w, const std::int8_t* a) {
    const __m256i four = _mm256_set1_epi32(four_bytes(a));
    return {add_dot(acc.lo, w.lo, four), add_dot(acc.hi, w.hi, four)};
  }
  // Stored as q + 128; |q| * |a| with the sign moved to a: 128 * 127 * 2 fits.
  static inline I32 dot_w8(I32 acc, Bytes w, const std::int8_t* a) {
    const __m256i four = _mm256_set1_epi32(four_bytes(a));
    return {add_signed_dot(acc.lo, w.lo, four), add_signed_dot(acc.hi, w.hi, four)};
  }

  // The value of nibble n is n + First.
  template <int First>
  struct NibbleTable {};
  template <int First>
  static inline NibbleTable<First> nibble_table() {
    return {};
  }
  struct Pair {
    F32 first, second;
  };
  static inline Pair bf16_pair(Bytes w) {
    const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U));
    return {{_mm256_castsi256_ps(_mm256_slli_epi32(w.lo, 16)), _mm256_castsi256_ps(_mm256_slli_epi32(w.hi, 16))},
            {_mm256_castsi256_ps(_mm256_and_si256(w.lo, upper)), _mm256_castsi256_ps(_mm256_and_si256(w.hi, upper))}};
  }
  template <int Index, int First>
  static inline Pair nibble_pair(NibbleTable<First>, Bytes w) {
    return {{nibble<4 * Index, First>(w.lo), nibble<4 * Index, First>(w.hi)},
            {nibble<16 + 4 * Index, First>(w.lo), nibble<16 + 4 * Index, First>(w.hi)}};
  }
  // Bytes Index and Index + 2 of each lane, stored as q + 128.
  template <int Index>
  static inline Pair byte_pair(Bytes w) {
    return {{byte_value<Index>(w.lo), byte_value<Index>(w.hi)}, {byte_value<Index + 2>(w.lo), byte_value<Index + 2>(w.hi)}};
  }
  static inline F32 dot_pair(F32 acc, Pair w, const std::uint16_t* a) {
    return fma(w.second, set1(bf16(a[1])), fma(w.first, set1(bf16(a[0])), acc));
  }

 private:
  static inline __m256i low(__m256i w) { return _mm256_and_si256(w, _mm256_set1_epi8(15)); }
  static inline __m256i add_dot(__m256i acc, __m256i u, __m256i s) {
    return _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_maddubs_epi16(u, s), _mm256_set1_epi16(1)));
  }
  static inline __m256i add_signed_dot(__m256i acc, __m256i w, __m256i four) {
    const __m256i q = _mm256_xor_si256(w, _mm256_set1_epi8(-128));
    return add_dot(acc, _mm256_abs_epi8(q), _mm256_sign_epi8(four, q));
  }
  template <int Shift, int First>
  static inline __m256 nibble(__m256i w) {
    const __m256i n = _mm256_and_si256(_mm256_srli_epi32(w, Shift), _mm256_set1_epi32(15));
    return _mm256_cvtepi32_ps(First == 0 ? n : _mm256_add_epi32(n, _mm256_set1_epi32(First)));
  }
  template <int Index>
  static inline __m256 byte_value(__m256i w) {
    const __m256i q = _mm256_xor_si256(w, _mm256_set1_epi8(-128));
    return _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(q, 24 - 8 * Index), 24));
  }
  static inline float bf16(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value;
    __builtin_memcpy(&value, &wide, 4);
    return value;
  }
  static inline __m256i rounded(__m256 a) {
    const __m256i bits = _mm256_castps_si256(a);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  }
  static inline __m256 below(int n, int first) {
    const __m256i lanes = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first));
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(n), lanes));
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
