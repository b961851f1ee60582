// BF16: record = one pair of inputs, [32 columns][2 k], 128 B, 16 bits.
// Not alone because the tile types come from linear_tile.h in the including ISA unit.
#pragma once

namespace {

struct Bf16 {
  static constexpr int kRecordBytes = kPanel * 4;
};

}  // namespace
