// Seeded inputs of the kernel tests: stored weight rows of every format, activations, and aligned buffers.
#pragma once

#include "models/native/formats/packer.h"
#include "models/native/kernels/kernel_table.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace mie::native::testing {

// Kernels load whole cache lines.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t n)
      : bytes_(static_cast<std::byte*>(std::aligned_alloc(64, (n + 63) / 64 * 64)), &std::free) {
    std::memset(bytes_.get(), 0, (n + 63) / 64 * 64);
  }
  [[nodiscard]] std::byte* get() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> bytes_;
};

inline std::vector<Isa> supported_isas() {
  std::vector<Isa> found;
  for (const Isa isa : all_isas()) {
    if (isa_supported(isa)) found.push_back(isa);
  }
  return found;
}

inline std::vector<float> random_floats(std::size_t n, std::mt19937& rng, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> x(n);
  for (float& v : x) v = normal(rng);
  return x;
}

// fp16 bits of a number in a weight scale's usual range, sign included.
inline std::uint16_t random_half(std::mt19937& rng) {
  return static_cast<std::uint16_t>((rng() & 0x8000U) | (0x1c00U + rng() % 0x1000U));  // 2^-8 … 2^-4
}

// One stored row of k numbers. Quantised: random quants and scales; floats: random values.
inline std::vector<std::byte> random_row(QuantFormat format, int k, std::mt19937& rng) {
  std::vector<std::byte> row(static_cast<std::size_t>(stored_bytes(format, k)));
  for (std::byte& b : row) b = static_cast<std::byte>(rng());
  const auto block = static_cast<std::size_t>(format_info(format).block_bytes);
  const auto put = [&](std::size_t at, std::uint16_t half) { std::memcpy(row.data() + at, &half, 2); };
  switch (format) {
    case QuantFormat::kQ4_1:
      for (std::size_t at = 0; at < row.size(); at += block) put(at + 2, random_half(rng));
      [[fallthrough]];
    case QuantFormat::kQ4_0:
    case QuantFormat::kQ8_0:
      for (std::size_t at = 0; at < row.size(); at += block) put(at, random_half(rng));
      break;
    case QuantFormat::kF16:
      for (std::size_t at = 0; at < row.size(); at += 2) put(at, random_half(rng));
      break;
    case QuantFormat::kBF16:
    case QuantFormat::kF32: {
      const auto values = random_floats(static_cast<std::size_t>(k), rng, 0.05F);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto* bits = reinterpret_cast<const std::byte*>(&values[i]);
        format == QuantFormat::kF32 ? std::memcpy(row.data() + 4 * i, bits, 4) : std::memcpy(row.data() + 2 * i, bits + 2, 2);
      }
      break;
    }
  }
  return row;
}

// A packed panel, its stored rows, and their exact values.
struct TestPanel {
  TestPanel(QuantFormat format, int k, std::mt19937& rng)
      : stored(format), k(k), packed(packer(pack_format_of(format)).panel_bytes(k)) {
    for (int n = 0; n < kPanel; ++n) {
      rows.push_back(random_row(format, k, rng));
      values.emplace_back(static_cast<std::size_t>(k));
      dequantise(format, rows.back(), values.back());
    }
    std::vector<SourceRow> sources;
    for (const auto& row : rows) sources.push_back({format, row.data()});
    packer(pack_format_of(format)).pack_panel(sources, k, packed.get());
  }

  QuantFormat stored;
  int k;
  std::vector<std::vector<std::byte>> rows;
  std::vector<std::vector<float>> values;  // [32][k]
  AlignedBytes packed;
};

// Activation rows in every form, made by one unit's kernels.
struct TestActs {
  TestActs(const KernelTable& kernels, std::span<const float> x, int n_rows, int k)
      : s8(x.size() / kGroup), split(x.size() / kGroup), bf16(x.size()) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(n_rows); ++r) {
      const std::size_t at = r * static_cast<std::size_t>(k);
      kernels.quantise_row(x.data() + at, k, &s8[at / kGroup]);
      kernels.split_row(x.data() + at, k, &split[at / kGroup]);
      kernels.store_bf16(x.data() + at, k, &bf16[at]);
    }
  }
  [[nodiscard]] std::int8_t q(std::size_t i) const { return s8[i / kGroup].q[i % kGroup]; }

  std::vector<ActS8> s8;
  std::vector<ActSplit> split;
  std::vector<std::uint16_t> bf16;
};

inline float widen(std::uint16_t bf16) {
  const std::uint32_t bits = std::uint32_t{bf16} << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

}  // namespace mie::native::testing
