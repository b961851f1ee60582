// Exact widening of the two 16-bit float formats to fp32. Pure functions; any thread.
#pragma once

#include <bit>
#include <cstdint>

namespace mie {

// IEEE binary16. Every value, subnormals, infinities and NaN payloads included, has an exact fp32 image.
[[nodiscard]] constexpr float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t exponent = (half >> 10U) & 0x1fU;
  const std::uint32_t mantissa = half & 0x3ffU;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, a product that fp32 holds exactly
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t wide_exponent = exponent == 0x1f ? 0xffU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide_exponent << 23U) | (mantissa << 13U));
}

// The upper half of an fp32.
[[nodiscard]] constexpr float bf16_to_f32(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U);
}

}  // namespace mie
