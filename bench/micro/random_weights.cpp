#include "bench/micro/random_weights.h"

#include <cstring>
#include <random>

namespace mie::bench {
namespace {

constexpr std::uint16_t kScaleHalf = 0x2000;  // 2^-7

}  // namespace

std::vector<float> random_floats(std::size_t n, float deviation, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(n);
  for (float& value : values) value = normal(rng);
  return values;
}

std::vector<std::byte> random_row(QuantFormat format, int k, std::uint64_t seed) {
  std::vector<std::byte> row(static_cast<std::size_t>(stored_bytes(format, k)));
  if (format == QuantFormat::kF32 || format == QuantFormat::kF16 || format == QuantFormat::kBF16) {
    const auto values = random_floats(static_cast<std::size_t>(k), 0.05F, seed);
    if (format == QuantFormat::kF32) {
      std::memcpy(row.data(), values.data(), row.size());
    } else {  // the upper half of a float is a bf16, and of these a number as an fp16 too
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::memcpy(row.data() + 2 * i, reinterpret_cast<const std::byte*>(&values[i]) + 2, 2);
      }
    }
    return row;
  }
  std::mt19937_64 rng(seed);
  for (std::byte& byte : row) byte = static_cast<std::byte>(rng());
  const auto block = static_cast<std::size_t>(format_info(format).block_bytes);
  for (std::size_t at = 0; at < row.size(); at += block) {
    std::memcpy(row.data() + at, &kScaleHalf, 2);
    if (format == QuantFormat::kQ4_1) std::memcpy(row.data() + at + 2, &kScaleHalf, 2);
  }
  return row;
}

}  // namespace mie::bench
