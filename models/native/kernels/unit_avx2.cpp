// Kernels for avx2. Compiled with that ISA's flags (CMakeLists.txt); see kernel_table.h.
#include "models/native/kernels/kernel_table.h"
// the vector type first, then the kernels over it
#include "models/native/kernels/vec_avx2.h"

#define MIE_UNIT_ISA ::mie::native::Isa::kAvx2
#define MIE_UNIT_TABLE avx2_table
#include "models/native/kernels/unit.h"
