// Kernels for AMX: those of avx512-vnni-bf16, with bf16 products on tiles. Compiled with that ISA's flags
// (CMakeLists.txt); see kernel_table.h.
#include "models/native/kernels/kernel_table.h"
// the vector type first, then the kernels over it
#include "models/native/kernels/vec_avx512.h"
// uses Vec
#include "models/native/kernels/unit.h"
// uses the formats
#include "models/native/kernels/amx_attention.h"
#include "models/native/kernels/amx_groups.h"
#include "models/native/kernels/amx_rounded.h"

namespace {

constexpr mie::native::KernelTable amx_table_of(mie::native::KernelTable table) {
  table.linear_s8[0] = linear_s8_amx<Q4_0>;
  table.linear_s8[1] = linear_s8_amx<Q4_1>;
  table.linear_s8[2] = linear_s8_amx<Q8_0>;
  table.linear_rounded[0] = linear_rounded_amx<Q4_0>;
  table.linear_rounded[1] = linear_rounded_amx<Q4_1>;
  table.linear_rounded[2] = linear_rounded_amx<Q8_0>;
  table.linear_bf16 = linear_bf16_amx;
  table.attend = attend_amx;
  return table;
}
constexpr mie::native::KernelTable kTable = amx_table_of(table_of(mie::native::Isa::kAmx));

}  // namespace

namespace mie::native {
const KernelTable& amx_table() { return kTable; }
}  // namespace mie::native
