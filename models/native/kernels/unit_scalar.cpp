// Kernels for scalar. Compiled with that ISA's flags (CMakeLists.txt); see kernel_table.h.
#include "models/native/kernels/kernel_table.h"
// the vector type first, then the kernels over it
#include "models/native/kernels/vec_scalar.h"

#define MIE_UNIT_ISA ::mie::native::Isa::kScalar
#define MIE_UNIT_TABLE scalar_table
#include "models/native/kernels/unit.h"
