#include "models/weights/quant_format.h"

#include "core/base/ensure.h"
#include "models/weights/half_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace mie {
namespace {

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

const std::map<std::string, QuantFormat> kByName = {{"F32", QuantFormat::kF32},   {"F16", QuantFormat::kF16},
                                                    {"BF16", QuantFormat::kBF16}, {"Q4_0", QuantFormat::kQ4_0},
                                                    {"Q4_1", QuantFormat::kQ4_1}, {"Q8_0", QuantFormat::kQ8_0}};

// tests/golden/make_dequant_golden.py wrote the file with the reference package.
TEST(QuantFormat, EqualsTheReferenceBitForBit) {
  std::ifstream file(MIE_TEST_DATA "/golden/dequant.txt");
  ASSERT_TRUE(file);
  std::map<std::string, int> n_checked;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name;
    std::string stored;
    std::string expected;
    ASSERT_TRUE(fields >> name >> stored >> expected);
    std::vector<float> numbers(32);
    dequantise(kByName.at(name), from_hex(stored), numbers);
    const auto wanted = from_hex(expected);
    ASSERT_EQ(wanted.size(), numbers.size() * sizeof(float));
    EXPECT_EQ(std::memcmp(numbers.data(), wanted.data(), wanted.size()), 0) << line;
    ++n_checked[name];
  }
  ASSERT_EQ(n_checked.size(), kByName.size());
  for (const auto& [name, n] : n_checked) EXPECT_EQ(n, 16) << name;
}

TEST(QuantFormat, BlocksFollowOneAnother) {
  // Two Q8_0 blocks of scale 1 and 2 (fp16 0x3C00, 0x4000), all quants 3 and -1.
  std::vector<std::byte> bytes(68, std::byte{3});
  bytes[0] = std::byte{0x00};
  bytes[1] = std::byte{0x3C};
  std::fill(bytes.begin() + 34, bytes.end(), std::byte{0xff});
  bytes[34] = std::byte{0x00};
  bytes[35] = std::byte{0x40};
  std::vector<float> numbers(64);
  dequantise(QuantFormat::kQ8_0, bytes, numbers);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(numbers[i], i < 32 ? 3.0F : -2.0F) << i;
}

TEST(QuantFormat, Q4LowNibblesAreTheFirstHalf) {
  std::vector<std::byte> bytes(18, std::byte{0x9F});  // low nibble 15, high nibble 9
  bytes[0] = std::byte{0x00};
  bytes[1] = std::byte{0x3C};  // scale 1
  std::vector<float> numbers(32);
  dequantise(QuantFormat::kQ4_0, bytes, numbers);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i < 16 ? 7.0F : 1.0F) << i;
}

// The compiler's own conversion is the second opinion.
TEST(QuantFormat, EveryHalfWidensExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto expected = static_cast<float>(std::bit_cast<_Float16>(half));
    const float widened = f16_to_f32(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(widened)) << bits;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(widened), std::bit_cast<std::uint32_t>(expected)) << bits;
    }
    EXPECT_EQ(std::bit_cast<std::uint32_t>(bf16_to_f32(half)), bits << 16U);
  }
}

// Sizes of struct block_q4_0, block_q4_1 and block_q8_0 of ggml.
TEST(QuantFormat, StoredBytesCountWholeBlocks) {
  EXPECT_EQ(stored_bytes(QuantFormat::kF32, 7), 28);
  EXPECT_EQ(stored_bytes(QuantFormat::kF16, 7), 14);
  EXPECT_EQ(stored_bytes(QuantFormat::kBF16, 7), 14);
  EXPECT_EQ(stored_bytes(QuantFormat::kQ4_0, 64), 36);
  EXPECT_EQ(stored_bytes(QuantFormat::kQ4_1, 64), 40);
  EXPECT_EQ(stored_bytes(QuantFormat::kQ8_0, 64), 68);
  EXPECT_EQ(stored_bytes(QuantFormat::kQ8_0, 0), 0);
  EXPECT_THROW((void)stored_bytes(QuantFormat::kQ8_0, 33), InvariantError);
  EXPECT_THROW((void)stored_bytes(QuantFormat::kF32, std::int64_t{1} << 62), InvariantError);
}

TEST(QuantFormat, SizeMismatchIsABug) {
  const std::vector<std::byte> bytes(34);
  std::vector<float> numbers(64);
  EXPECT_THROW(dequantise(QuantFormat::kQ8_0, bytes, numbers), InvariantError);
}

}  // namespace
}  // namespace mie
