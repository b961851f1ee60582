// A kernel whose inner loop must keep an accumulator on the stack, since the assembler statement takes every vector register:
// spill_check.py has to find it. Compiled, never run.
#include <immintrin.h>

namespace {

template <int R>
__attribute__((noinline)) __m256 tile_s8(const float* x, int n) {
  __m256 sum = _mm256_setzero_ps();
  for (int i = 0; i < n; ++i) {
    sum = _mm256_add_ps(sum, _mm256_loadu_ps(x + 8 * i));
    asm volatile("" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
  }
  return sum;
}

}  // namespace

void planted_spill(const float* x, int n, float* out) { _mm256_storeu_ps(out, tile_s8<1>(x, n)); }
