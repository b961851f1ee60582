// How the bytes of a stored tensor encode its numbers. A weight is bytes plus a QuantFormat until a backend packs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mie {

enum class QuantFormat { kF32, kF16, kBF16, kQ4_0, kQ4_1, kQ8_0 };

struct FormatInfo {
  std::string_view name;  // "Q4_1"
  int block_elements;     // numbers per block, along the innermost dimension
  int block_bytes;        // bytes per block
};
[[nodiscard]] const FormatInfo& format_info(QuantFormat format);

// Bytes of n_elements numbers. REQUIRES: n_elements is a multiple of block_elements and the product fits.
[[nodiscard]] std::int64_t stored_bytes(QuantFormat format, std::int64_t n_elements);

// Expands to fp32 exactly as llama.cpp's reference does. REQUIRES: bytes.size() == stored_bytes(format, out.size()).
void dequantise(QuantFormat format, std::span<const std::byte> bytes, std::span<float> out);

}  // namespace mie
