#include "models/sampling/counter_rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace mie {
namespace {

// Known answers published with Random123 (kat_vectors, philox4x32 10).
TEST(CounterRng, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Words 0 and 1 of the first vector: 0xe169c58d6627e8d5 >> 11, times 2^-53.
TEST(CounterRng, DrawIsTheUpperBitsOfTheFirstTwoWords) {
  EXPECT_EQ(uniform_draw(0, 0), static_cast<double>(0xe169c58d6627e8d5U >> 11U) / 9007199254740992.0);
}

TEST(CounterRng, EveryBitOfSeedAndPositionMatters) {
  std::set<double> draws = {uniform_draw(0, 0)};
  for (int bit = 0; bit < 64; ++bit) draws.insert(uniform_draw(std::uint64_t{1} << bit, 0));
  for (int bit = 0; bit < 63; ++bit) draws.insert(uniform_draw(0, std::int64_t{1} << bit));
  EXPECT_EQ(draws.size(), 1U + 64U + 63U);
}

// 100 cells, 100,000 draws: mean 1,000, standard deviation 31.5.
TEST(CounterRng, DrawsFillTheUnitIntervalEvenly) {
  std::array<int, 100> cells{};
  for (std::int64_t position = 0; position < 100'000; ++position) {
    const double draw = uniform_draw(42, position);
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, 1);
    ++cells.at(static_cast<std::size_t>(draw * 100));
  }
  for (const int n : cells) EXPECT_NEAR(n, 1000, 150);
}

}  // namespace
}  // namespace mie
