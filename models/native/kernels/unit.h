// The body of every ISA unit: the including file has chosen `Vec` and defines MIE_UNIT_TABLE and MIE_UNIT_ISA.
// Not alone because the vector type `Vec` and the names come from the including ISA unit.
#pragma once

#include "models/native/kernels/attention_tile.h"
#include "models/native/kernels/elementwise.h"
#include "models/native/kernels/linear_tile.h"
// formats, after the tile types they use
#include "models/native/formats/bf16.h"
#include "models/native/formats/q4_0.h"
#include "models/native/formats/q4_1.h"
#include "models/native/formats/q8_0.h"

namespace {

// In the order of PackFormat.
constexpr mie::native::KernelTable kTable = {
    .isa = MIE_UNIT_ISA,
    .linear_s8 = {linear_s8<Q4_0>, linear_s8<Q4_1>, linear_s8<Q8_0>, nullptr},
    .linear_bf16 = {linear_w4a16<Q4_0>, linear_w4a16<Q4_1>, linear_w4a16<Q8_0>, linear_bf16<Bf16>},
    .quantise_row = quantise_row,
    .round_row = round_row,
    .rms_norm_row = rms_norm_row,
    .add_row = add_row,
    .silu_mul_panel = silu_mul_panel,
    .rotate_row = rotate_row,
    .store_bf16 = store_bf16_row,
    .attend = attend,
    .combine = combine,
    .normalise = normalise,
};

}  // namespace

namespace mie::native {
const KernelTable& MIE_UNIT_TABLE() { return kTable; }
}  // namespace mie::native
