// Peak loops of both AVX-512 units; the including file names its table with MIE_PEAKS. Internal linkage.
// Not alone because its intrinsics need the flags of an AVX-512 unit.
#pragma once

#include "models/native/kernels/unroll.h"
#include "models/native/peaks/peak_table.h"

#include <immintrin.h>

namespace {

constexpr int kChains = 24;  // of 32 registers: more than any unit's latency times its width

std::uint64_t read_lines(const std::byte* data, std::size_t n_bytes) {
  __m512i sums[4] = {};
  for (std::size_t at = 0; at < n_bytes; at += mie::native::kReadBlock) {
    unroll<4>([&](auto i) MIE_INLINE { sums[i] = _mm512_xor_si512(sums[i], _mm512_load_si512(data + at + i * 64)); });
  }
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_xor_si512(_mm512_xor_si512(sums[0], sums[1]),  //
                                                                             _mm512_xor_si512(sums[2], sums[3]))));
}

float fp32_rounds(std::int64_t n_rounds) {
  const __m512 a = _mm512_set1_ps(0.5F);
  __m512 sums[kChains];
  unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm512_set1_ps(static_cast<float>(i)); });
  for (std::int64_t round = 0; round < n_rounds; ++round) {
    unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm512_fmadd_ps(sums[i], a, a); });
  }
  unroll<kChains - 1>([&](auto i) MIE_INLINE { sums[0] = _mm512_add_ps(sums[0], sums[i + 1]); });
  return _mm512_cvtss_f32(sums[0]);
}

float int8_rounds(std::int64_t n_rounds) {
  const __m512i a = _mm512_set1_epi8(1);
  __m512i sums[kChains];
  unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm512_set1_epi32(i); });
  for (std::int64_t round = 0; round < n_rounds; ++round) {
    unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm512_dpbusd_epi32(sums[i], a, a); });
  }
  unroll<kChains - 1>([&](auto i) MIE_INLINE { sums[0] = _mm512_xor_si512(sums[0], sums[i + 1]); });
  return static_cast<float>(_mm512_cvtsi512_si32(sums[0]));
}

#if defined(__AVX512BF16__)
float bf16_rounds(std::int64_t n_rounds) {
  const auto a = (__m512bh)_mm512_set1_epi16(0x3f00);  // 0.5
  const auto b = (__m512bh)_mm512_set1_epi16(0x3f80);  // 1
  __m512 sums[kChains];
  unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm512_set1_ps(static_cast<float>(i)); });
  for (std::int64_t round = 0; round < n_rounds; ++round) {
    unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm512_dpbf16_ps(sums[i], a, b); });
  }
  unroll<kChains - 1>([&](auto i) MIE_INLINE { sums[0] = _mm512_add_ps(sums[0], sums[i + 1]); });
  return _mm512_cvtss_f32(sums[0]);
}
constexpr mie::native::PeakLoop kBf16 = {bf16_rounds, kChains * 16 * 2 * 2};
#else
constexpr mie::native::PeakLoop kBf16 = {};
#endif

constexpr mie::native::PeakTable kPeaks = {
    .read = read_lines, .fp32 = {fp32_rounds, kChains * 16 * 2}, .bf16 = kBf16, .int8 = {int8_rounds, kChains * 16 * 4 * 2}};

}  // namespace

namespace mie::native {
const PeakTable& MIE_PEAKS() { return kPeaks; }
}  // namespace mie::native
