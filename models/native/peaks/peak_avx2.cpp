// Peak loops of avx2. Compiled with that ISA's flags (CMakeLists.txt).
#include "models/native/kernels/unroll.h"
#include "models/native/peaks/peak_table.h"

#include <immintrin.h>

namespace {

constexpr int kChains = 12;  // of 16 registers; two units of latency 5 need 10

std::uint64_t read_lines(const std::byte* data, std::size_t n_bytes) {
  __m256i sums[8] = {};
  for (std::size_t at = 0; at < n_bytes; at += mie::native::kReadBlock) {
    unroll<8>([&](auto i) MIE_INLINE {
      sums[i] = _mm256_xor_si256(sums[i], _mm256_load_si256(reinterpret_cast<const __m256i*>(data + at + i * 32)));
    });
  }
  unroll<7>([&](auto i) MIE_INLINE { sums[0] = _mm256_xor_si256(sums[0], sums[i + 1]); });
  alignas(32) std::uint64_t words[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(words), sums[0]);
  return (words[0] ^ words[1]) ^ (words[2] ^ words[3]);
}

float fp32_rounds(std::int64_t n_rounds) {
  const __m256 a = _mm256_set1_ps(0.5F);
  __m256 sums[kChains];
  unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm256_set1_ps(static_cast<float>(i)); });
  for (std::int64_t round = 0; round < n_rounds; ++round) {
    unroll<kChains>([&](auto i) MIE_INLINE { sums[i] = _mm256_fmadd_ps(sums[i], a, a); });
  }
  unroll<kChains - 1>([&](auto i) MIE_INLINE { sums[0] = _mm256_add_ps(sums[0], sums[i + 1]); });
  return _mm256_cvtss_f32(sums[0]);
}

constexpr mie::native::PeakTable kPeaks = {.read = read_lines, .fp32 = {fp32_rounds, kChains * 8 * 2}, .bf16 = {}, .int8 = {}};

}  // namespace

namespace mie::native {
const PeakTable& avx2_peaks() { return kPeaks; }
}  // namespace mie::native
