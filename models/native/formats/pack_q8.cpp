// Q8_0. Source block of 32: scale fp16, 32 signed bytes. Packed record: see q8_0.h, bytes as q + 128.
#include "models/native/formats/packer.h"
#include "models/weights/half_float.h"

#include <cstdint>
#include <cstring>

namespace mie::native {
namespace {

constexpr std::size_t kBlock = 2 + kGroup;
constexpr std::size_t kScaleAt = kGroup * kPanel;
constexpr std::size_t kRecord = kScaleAt + 64;
constexpr int kZero = 128;

std::size_t byte_of(int k, int column) {
  return static_cast<std::size_t>(((k / 4) * (kPanel / 16) + column / 16) * 64 + 4 * (column % 16) + k % 4);
}

void pack_panel(std::span<const SourceRow> rows, int k, std::byte* out) {
  const auto n_groups = static_cast<std::size_t>(k / kGroup);
  std::memset(out, 0, n_groups * kRecord);
  for (int column = 0; column < kPanel; ++column) {
    const std::byte* block = rows[static_cast<std::size_t>(column)].bytes;
    if (block == nullptr) continue;  // scale 0: the zero point does not matter
    for (std::size_t g = 0; g < n_groups; ++g, block += kBlock) {
      std::byte* record = out + g * kRecord;
      for (int i = 0; i < kGroup; ++i) {
        const auto q = std::to_integer<unsigned>(block[2 + static_cast<std::size_t>(i)]);
        record[byte_of(i, column)] = static_cast<std::byte>((q + kZero) & 0xffU);
      }
      std::memcpy(record + kScaleAt + 2 * column, block, 2);
    }
  }
}

void unpack_column(const std::byte* panel, int k, int column, float* out) {
  for (int g = 0; g < k / kGroup; ++g, panel += kRecord) {
    std::uint16_t scale = 0;
    std::memcpy(&scale, panel + kScaleAt + 2 * column, 2);
    for (int i = 0; i < kGroup; ++i) {
      *out++ = static_cast<float>(std::to_integer<int>(panel[byte_of(i, column)]) - kZero) * f16_to_f32(scale);
    }
  }
}

}  // namespace

const Packer kPackQ8_0 = {kGroup, static_cast<int>(kRecord), pack_panel, unpack_column};

}  // namespace mie::native
