// The body of every ISA unit: all kernels over the `Vec` that the including file has chosen, as one table.
// Not alone because the vector type `Vec` comes from the including ISA unit.
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

// Formats in the order of PackFormat.
constexpr mie::native::KernelTable table_of(mie::native::Isa isa) {
  return {
      .isa = isa,
      .linear_s8 = {linear_groups<TileS8<Q4_0>>, linear_groups<TileS8<Q4_1>>, linear_groups<TileS8<Q8_0>>},
      .linear_w4a16 = {linear_groups<TileW4A16<Q4_0>>, linear_groups<TileW4A16<Q4_1>>, linear_groups<TileW4A16<Q8_0>>},
      .linear_rounded = {},
      .linear_bf16 = linear<TileBf16<Bf16>>,
      .quantise_row = quantise_row,
      .split_row = split_row,
      .rms_norm_row = rms_norm_row,
      .add_row = add_row,
      .silu_mul_panel = silu_mul_panel,
      .rotate_row = rotate_row,
      .store_bf16 = store_bf16_row,
      .attend = attend,
      .combine = combine,
      .normalise = normalise,
      .find_best = find_best,
  };
}

}  // namespace
