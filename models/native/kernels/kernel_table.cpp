#include "models/native/kernels/kernel_table.h"

namespace mie::native {

const KernelTable& scalar_table();
#if defined(__x86_64__)
const KernelTable& avx2_table();
const KernelTable& avx512_vnni_table();
const KernelTable& avx512_vnni_bf16_table();
const KernelTable& amx_table();
#endif

const KernelTable& kernel_table(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::kAvx2:
      return avx2_table();
    case Isa::kAvx512Vnni:
      return avx512_vnni_table();
    case Isa::kAvx512VnniBf16:
      return avx512_vnni_bf16_table();
    case Isa::kAmx:
      return amx_table();
    case Isa::kScalar:
      break;
  }
#else
  (void)isa;
#endif
  return scalar_table();
}

}  // namespace mie::native
