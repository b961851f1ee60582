// Kernels for avx2. Compiled with that ISA's flags (CMakeLists.txt); see kernel_table.h.
#include "models/native/kernels/kernel_table.h"
// the vector type first, then the kernels over it
#include "models/native/kernels/vec_avx2.h"
// uses Vec
#include "models/native/kernels/unit.h"

namespace {
constexpr mie::native::KernelTable kTable = table_of(mie::native::Isa::kAvx2);
}

namespace mie::native {
const KernelTable& avx2_table() { return kTable; }
}  // namespace mie::native
