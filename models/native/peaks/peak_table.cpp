#include "models/native/peaks/peak_table.h"

namespace mie::native {

const PeakTable& scalar_peaks();
#if defined(__x86_64__)
const PeakTable& avx2_peaks();
const PeakTable& avx512_vnni_peaks();
const PeakTable& avx512_vnni_bf16_peaks();
#endif

const PeakTable& peak_table(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::kAvx2:
      return avx2_peaks();
    case Isa::kAvx512Vnni:
      return avx512_vnni_peaks();
    case Isa::kAvx512VnniBf16:
    case Isa::kAmx:  // of vectors: the scale of every unit's figures
      return avx512_vnni_bf16_peaks();
    case Isa::kScalar:
      break;
  }
#else
  (void)isa;
#endif
  return scalar_peaks();
}

}  // namespace mie::native
