#include "models/weights/quant_format.h"

#include "core/base/ensure.h"
#include "models/weights/half_float.h"

#include <array>
#include <cstring>
#include <utility>

namespace mie {
namespace {

constexpr int kQuantBlock = 32;  // numbers per block of Q4_0, Q4_1, Q8_0

constexpr std::array<FormatInfo, 6> kFormats = {{
    {"F32", 1, 4},
    {"F16", 1, 2},
    {"BF16", 1, 2},
    {"Q4_0", kQuantBlock, 2 + kQuantBlock / 2},      // fp16 scale, nibbles
    {"Q4_1", kQuantBlock, 2 + 2 + kQuantBlock / 2},  // fp16 scale, fp16 minimum, nibbles
    {"Q8_0", kQuantBlock, 2 + kQuantBlock},          // fp16 scale, bytes
}};

std::uint16_t load_u16(const std::byte* from) {
  std::uint16_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// In a block of nibbles, byte i holds number i in its low half and number i + 16 in its high half.
int low_nibble(std::byte packed) { return std::to_integer<int>(packed & std::byte{15}); }
int high_nibble(std::byte packed) { return std::to_integer<int>(packed >> 4); }

void expand_q4_0(const std::byte* block, float* out) {
  const float scale = f16_to_f32(load_u16(block));
  for (int i = 0; i < kQuantBlock / 2; ++i) {
    const std::byte packed = block[2 + i];
    out[i] = static_cast<float>(low_nibble(packed) - 8) * scale;
    out[i + kQuantBlock / 2] = static_cast<float>(high_nibble(packed) - 8) * scale;
  }
}

// The reference rounds the product before it adds; this file is compiled with -ffp-contract=off so that nothing fuses them.
void expand_q4_1(const std::byte* block, float* out) {
  const float scale = f16_to_f32(load_u16(block));
  const float minimum = f16_to_f32(load_u16(block + 2));
  for (int i = 0; i < kQuantBlock / 2; ++i) {
    const std::byte packed = block[4 + i];
    out[i] = static_cast<float>(low_nibble(packed)) * scale + minimum;
    out[i + kQuantBlock / 2] = static_cast<float>(high_nibble(packed)) * scale + minimum;
  }
}

void expand_q8_0(const std::byte* block, float* out) {
  const float scale = f16_to_f32(load_u16(block));
  for (int i = 0; i < kQuantBlock; ++i) {
    out[i] = static_cast<float>(std::to_integer<std::int8_t>(block[2 + i])) * scale;
  }
}

template <void (*expand)(const std::byte*, float*)>
void expand_blocks(QuantFormat format, std::span<const std::byte> bytes, std::span<float> out) {
  const auto stride = static_cast<std::size_t>(format_info(format).block_bytes);
  for (std::size_t i = 0; i * kQuantBlock < out.size(); ++i) expand(bytes.data() + i * stride, out.data() + i * kQuantBlock);
}

template <float (*widen)(std::uint16_t)>
void expand_halves(std::span<const std::byte> bytes, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = widen(load_u16(bytes.data() + 2 * i));
}

}  // namespace

const FormatInfo& format_info(QuantFormat format) { return kFormats.at(static_cast<std::size_t>(format)); }

std::int64_t stored_bytes(QuantFormat format, std::int64_t n_elements) {
  const FormatInfo& info = format_info(format);
  ENSURE(n_elements >= 0 && n_elements % info.block_elements == 0, "whole blocks");
  std::int64_t bytes = 0;
  ENSURE(!__builtin_mul_overflow(n_elements / info.block_elements, info.block_bytes, &bytes), "size fits");
  return bytes;
}

void dequantise(QuantFormat format, std::span<const std::byte> bytes, std::span<float> out) {
  ENSURE(std::cmp_equal(bytes.size(), stored_bytes(format, static_cast<std::int64_t>(out.size()))), "bytes match the numbers");
  switch (format) {
    case QuantFormat::kF32:
      if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
      return;
    case QuantFormat::kF16:
      return expand_halves<f16_to_f32>(bytes, out);
    case QuantFormat::kBF16:
      return expand_halves<bf16_to_f32>(bytes, out);
    case QuantFormat::kQ4_0:
      return expand_blocks<expand_q4_0>(format, bytes, out);
    case QuantFormat::kQ4_1:
      return expand_blocks<expand_q4_1>(format, bytes, out);
    case QuantFormat::kQ8_0:
      return expand_blocks<expand_q8_0>(format, bytes, out);
  }
}

}  // namespace mie
