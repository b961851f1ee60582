// BF16, and F16 and F32 rounded to it. Packed record: one pair of inputs, [32 columns][2 k].
#include "models/native/formats/packer.h"
#include "models/weights/half_float.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace mie::native {
namespace {

constexpr std::size_t kRecord = kPanel * 4;

// To nearest even; infinities stay, NaN keeps a set mantissa bit.
std::uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

template <class Stored>
Stored element(const std::byte* row, int k) {
  Stored value;
  std::memcpy(&value, row + static_cast<std::size_t>(k) * sizeof(Stored), sizeof(Stored));
  return value;
}

std::uint16_t bf16_element(const SourceRow& row, int k) {
  if (row.bytes == nullptr) return 0;
  switch (row.format) {
    case QuantFormat::kBF16:
      return element<std::uint16_t>(row.bytes, k);
    case QuantFormat::kF16:
      return to_bf16(f16_to_f32(element<std::uint16_t>(row.bytes, k)));
    default:
      return to_bf16(element<float>(row.bytes, k));
  }
}

void pack_panel(std::span<const SourceRow> rows, int k, std::byte* out) {
  for (int pair = 0; pair < k / 2; ++pair, out += kRecord) {
    for (int column = 0; column < kPanel; ++column) {
      const SourceRow& row = rows[static_cast<std::size_t>(column)];
      const std::uint16_t two[2] = {bf16_element(row, 2 * pair), bf16_element(row, 2 * pair + 1)};
      std::memcpy(out + 4 * column, two, 4);
    }
  }
}

void unpack_column(const std::byte* panel, int k, int column, float* out) {
  for (int i = 0; i < k; ++i) {
    *out++ = bf16_to_f32(element<std::uint16_t>(panel + static_cast<std::size_t>(i / 2) * kRecord + 4 * column, i % 2));
  }
}

}  // namespace

const Packer kPackBf16 = {2, static_cast<int>(kRecord), pack_panel, unpack_column};

}  // namespace mie::native
