// Kernels for AMX: those of avx512-vnni-bf16, but for those that tiles do better. Compiled with that ISA's flags
// (CMakeLists.txt); see kernel_table.h.
#include "models/native/kernels/kernel_table.h"
// the vector type first, then what the kernels are made of
#include "models/native/kernels/vec_avx512.h"
// uses Vec
#include "models/native/kernels/linear_tile.h"
// formats, after the tile types they use
#include "models/native/formats/q4_0.h"
#include "models/native/formats/q4_1.h"
#include "models/native/formats/q8_0.h"
// uses the formats
#include "models/native/kernels/amx_attention.h"
#include "models/native/kernels/amx_bf16.h"
#include "models/native/kernels/amx_groups.h"
#include "models/native/kernels/amx_rounded.h"

namespace {

mie::native::KernelTable amx_table_of(mie::native::KernelTable table) {
  table.isa = mie::native::Isa::kAmx;
  table.linear_s8[0] = linear_s8_amx<Q4_0, 0>;
  table.linear_s8[1] = linear_s8_amx<Q4_1, 1>;
  table.linear_s8[2] = linear_s8_amx<Q8_0, 2>;
  table.linear_rounded[0] = linear_rounded_amx<Q4_0>;
  table.linear_rounded[1] = linear_rounded_amx<Q4_1>;
  table.linear_rounded[2] = linear_rounded_amx<Q8_0>;
  table.linear_bf16 = linear_bf16_amx;
  table.attend = attend_amx;
  return table;
}

}  // namespace

namespace mie::native {

const KernelTable& amx_table() {
  static const KernelTable table = amx_table_of(kernel_table(Isa::kAvx512VnniBf16));
  return table;
}

}  // namespace mie::native
