#include "kv/page_layout.h"

#include "core/base/ensure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace mie {
namespace {

constexpr PageLayout kQwen{.block_size = 32, .n_layers = 24, .n_kv_heads = 2, .head_dim = 64, .element_bytes = 2};
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(PageLayout, BlocksForRoundsUp) {
  EXPECT_EQ(blocks_for(0, 16), 0);
  EXPECT_EQ(blocks_for(1, 16), 1);
  EXPECT_EQ(blocks_for(16, 16), 1);
  EXPECT_EQ(blocks_for(17, 16), 2);
  constexpr int kMax = std::numeric_limits<int>::max();
  EXPECT_EQ(blocks_for(kMax, kMax), 1);
  EXPECT_EQ(blocks_for(kMax, 2), 1'073'741'824);
}

TEST(PageLayout, TheQwenShapeTakes12288BytesAToken) {
  EXPECT_EQ(kQwen.bytes_per_token(), 12'288);
  EXPECT_EQ(kQwen.bytes_per_block(), 393'216);
}

// "pool blocks" of a GiB for each block size of the published table.
TEST(PageLayout, BlocksInOneGiB) {
  const auto blocks = [](int block_size) {
    PageLayout layout = kQwen;
    layout.block_size = block_size;
    return layout.blocks_in(kGiB);
  };
  EXPECT_EQ(blocks(1), 87'381);
  EXPECT_EQ(blocks(8), 10'922);
  EXPECT_EQ(blocks(16), 5'461);
  EXPECT_EQ(blocks(32), 2'730);
  EXPECT_EQ(blocks(256), 341);
  EXPECT_EQ(blocks(2048), 42);
}

TEST(PageLayout, LessThanABlockHoldsNone) {
  EXPECT_EQ(kQwen.blocks_in(kQwen.bytes_per_block() - 1), 0);
  EXPECT_EQ(kQwen.blocks_in(kQwen.bytes_per_block()), 1);
  EXPECT_EQ(kQwen.blocks_in(0), 0);
}

TEST(PageLayout, MoreBlocksThanAnIntCountsAreCut) {
  constexpr PageLayout kTiny{.block_size = 1, .n_layers = 1, .n_kv_heads = 1, .head_dim = 1, .element_bytes = 1};
  EXPECT_EQ(kTiny.blocks_in(std::numeric_limits<std::int64_t>::max()), std::numeric_limits<int>::max());
}

TEST(PageLayout, ImpossibleGeometryThrows) {
  PageLayout layout = kQwen;
  layout.n_kv_heads = 0;
  EXPECT_THROW((void)layout.bytes_per_token(), InvariantError);
  constexpr int kMax = std::numeric_limits<int>::max();
  layout = {.block_size = kMax, .n_layers = kMax, .n_kv_heads = kMax, .head_dim = kMax, .element_bytes = 2};
  EXPECT_THROW((void)layout.bytes_per_block(), InvariantError);
  EXPECT_THROW((void)kQwen.blocks_in(-1), InvariantError);
}

TEST(PageLayout, AcceptsExactlyTheBlockSizesOfTheCommandLine) {
  for (int n = -300; n <= 600; ++n) {
    const bool valid =
        n == 8 || n == 16 || n == 32 || n == 64 || n == 96 || n == 128 || n == 160 || n == 192 || n == 224 || n == 256;
    const auto parsed = parse_block_size(std::to_string(n), 4096);
    ASSERT_EQ(parsed.has_value(), valid) << n;
    if (valid) ASSERT_EQ(*parsed, n);
  }
}

TEST(PageLayout, MaxIsTheLongestSequence) { EXPECT_EQ(parse_block_size("max", 8191).value(), 8191); }

TEST(PageLayout, RefusesWhatIsNotABlockSize) {
  for (const char* text : {"", " 32", "32 ", "+32", "0x20", "32.0", "Max", "maximum", "99999999999999999999"}) {
    const auto parsed = parse_block_size(text, 4096);
    ASSERT_TRUE(parsed.has_error()) << text;
    EXPECT_EQ(parsed.error().code, Errc::kConfig);
    EXPECT_EQ(parsed.error().param, "block-size");
    EXPECT_EQ(parsed.error().message,
              "block-size must be 8, 16, a multiple of 32 up to 256, or max, got \"" + std::string(text) + "\"");
  }
}

TEST(PageLayout, AMessageQuotesAtMost64Characters) {
  const auto parsed = parse_block_size(std::string(10'000, '7'), 4096);
  ASSERT_TRUE(parsed.has_error());
  EXPECT_LT(parsed.error().message.size(), 160U);
}

}  // namespace
}  // namespace mie
