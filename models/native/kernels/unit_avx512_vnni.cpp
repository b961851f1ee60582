// Kernels for avx512-vnni. Compiled with that ISA's flags (CMakeLists.txt); see kernel_table.h.
#include "models/native/kernels/kernel_table.h"
// the vector type first, then the kernels over it
#include "models/native/kernels/vec_avx512.h"

#define MIE_UNIT_ISA ::mie::native::Isa::kAvx512Vnni
#define MIE_UNIT_TABLE avx512_vnni_table
#include "models/native/kernels/unit.h"
