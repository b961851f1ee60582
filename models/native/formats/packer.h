// Packing of stored weight rows into panels, once, at load. One file a format family; nothing here is ISA-specific, and
// every ISA unit reads the same bytes. Pure functions on plain memory; any thread.
#pragma once

#include "models/native/kernels/kernel_table.h"
#include "models/weights/quant_format.h"

#include <cstddef>
#include <span>

namespace mie::native {

// A stored row of a weight matrix. Null bytes: a row of zeros, the padding of a matrix to whole panels.
struct SourceRow {
  QuantFormat format = QuantFormat::kF32;
  const std::byte* bytes = nullptr;
};

struct Packer {
  int record_inputs;  // inputs per record; records of a panel follow each other
  int record_bytes;   // multiple of 64
  // REQUIRES: rows.size() == kPanel, all of one source format; k a multiple of kGroup.
  void (*pack_panel)(std::span<const SourceRow> rows, int k, std::byte* out);
  // The fp32 values of one output (column of the panel), as the stored format means them.
  void (*unpack_column)(const std::byte* panel, int k, int column, float* out);

  [[nodiscard]] std::size_t panel_bytes(int k) const {
    return static_cast<std::size_t>(k / record_inputs) * static_cast<std::size_t>(record_bytes);
  }
};

// How a stored format is packed: quantised ones as they are, floats as bf16 (rounded to nearest even from F32 and F16).
[[nodiscard]] PackFormat pack_format_of(QuantFormat format);
[[nodiscard]] const Packer& packer(PackFormat format);

extern const Packer kPackQ4_0, kPackQ4_1, kPackQ8_0, kPackBf16;

}  // namespace mie::native
