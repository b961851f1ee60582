// The limits of one instruction set, as loops that do nothing else: one ascending read of memory, and as many independent
// multiply-adds as the registers hold. One unit per ISA fills one table, as the kernels do (kernels/kernel_table.h).
// Stateless; any thread.
#pragma once

#include "models/native/isa.h"

#include <cstddef>
#include <cstdint>

namespace mie::native {

inline constexpr std::size_t kReadBlock = 256;  // bytes that one round of `read` takes

// run(n) does n rounds of `ops_per_round` operations, a multiply-add counting as two. Null: the unit has no such instruction.
struct PeakLoop {
  float (*run)(std::int64_t n_rounds) = nullptr;
  double ops_per_round = 0;
};

struct PeakTable {
  std::uint64_t (*read)(const std::byte* data, std::size_t n_bytes);  // REQUIRES: n_bytes a multiple of kReadBlock
  PeakLoop fp32;                                                      // fused multiply-add
  PeakLoop bf16;                                                      // vdpbf16ps
  PeakLoop int8;                                                      // vpdpbusd
};

// REQUIRES: isa_supported(isa).
[[nodiscard]] const PeakTable& peak_table(Isa isa);

}  // namespace mie::native
