// Q4_0 and Q4_1. Source block of 32: scale fp16 (, min fp16), 16 bytes: low nibble of byte i = k i, high = k i + 16.
// Packed record: see nibbles.h, then the scales (and mins) of the 32 columns as stored.
#include "models/native/formats/packer.h"
#include "models/weights/half_float.h"

#include <cstdint>
#include <cstring>

namespace mie::native {
namespace {

constexpr std::size_t kNibbleBytes = kGroup * kPanel / 2;

// One format of the family: bytes before the nibbles of a source block, and the zero point.
template <bool HasMin>
struct Q4 {
  static constexpr std::size_t kHead = HasMin ? 4 : 2;
  static constexpr std::size_t kBlock = kHead + kGroup / 2;
  static constexpr std::size_t kRecord = kNibbleBytes + (HasMin ? 128 : 64);
  static constexpr int kZero = HasMin ? 0 : 8;

  // Byte of the record that holds input k of a column: line (k / 8, column block), byte 4c + k % 4.
  static std::size_t byte_of(int k, int column) {
    return static_cast<std::size_t>(((k / 8) * (kPanel / 16) + column / 16) * 64 + 4 * (column % 16) + k % 4);
  }
  static bool high(int k) { return k % 8 >= 4; }

  static void pack_block(const std::byte* block, int column, std::byte* record) {
    for (int k = 0; k < kGroup; ++k) {
      const auto pair = std::to_integer<unsigned>(block[kHead + static_cast<std::size_t>(k % 16)]);
      const unsigned q = k < 16 ? pair & 15U : pair >> 4U;
      record[byte_of(k, column)] |= static_cast<std::byte>(high(k) ? q << 4U : q);
    }
    std::memcpy(record + kNibbleBytes + 2 * column, block, 2);
    if constexpr (HasMin) std::memcpy(record + kNibbleBytes + 64 + 2 * column, block + 2, 2);
  }

  static void pack_panel(std::span<const SourceRow> rows, int k, std::byte* out) {
    const int n_groups = k / kGroup;
    std::memset(out, 0, static_cast<std::size_t>(n_groups) * kRecord);
    for (int column = 0; column < kPanel; ++column) {
      const std::byte* row = rows[static_cast<std::size_t>(column)].bytes;
      if (row == nullptr) continue;  // scale 0: the zero point does not matter
      for (std::size_t g = 0; g < static_cast<std::size_t>(n_groups); ++g)
        pack_block(row + g * kBlock, column, out + g * kRecord);
    }
  }

  static void unpack_column(const std::byte* panel, int k, int column, float* out) {
    for (int g = 0; g < k / kGroup; ++g, panel += kRecord) {
      std::uint16_t scale = 0, min = 0;
      std::memcpy(&scale, panel + kNibbleBytes + 2 * column, 2);
      if constexpr (HasMin) std::memcpy(&min, panel + kNibbleBytes + 64 + 2 * column, 2);
      for (int i = 0; i < kGroup; ++i) {
        const auto byte = std::to_integer<int>(panel[byte_of(i, column)]);
        const int q = (high(i) ? byte >> 4 : byte & 15) - kZero;
        *out++ = static_cast<float>(q) * f16_to_f32(scale) + f16_to_f32(min);
      }
    }
  }

  static constexpr Packer kPacker = {kGroup, static_cast<int>(kRecord), pack_panel, unpack_column};
};

}  // namespace

const Packer kPackQ4_0 = Q4<false>::kPacker;
const Packer kPackQ4_1 = Q4<true>::kPacker;

}  // namespace mie::native
