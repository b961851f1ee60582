// Keys and draws, by a script of its own: SHA-256 by Python's hashlib, Philox4x32-10 written again there and checked against
// the known answers of Random123. (The generator's own known answers: tests/models/counter_rng_test.cpp.)
#include "bench/workload/draw/random_stream.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mie::bench {
namespace {

TEST(RandomStream, KeysAreOfPurposeAndSeed) {
  EXPECT_EQ(RandomStream("lengths", 2026).key(), (PhiloxKey{0xb4eeb854, 0x823b64a7}));
  EXPECT_EQ(RandomStream("arrivals", 2026).key(), (PhiloxKey{0xec96e7f7, 0x489de28c}));
  EXPECT_EQ(RandomStream("content", 2026).key(), (PhiloxKey{0xc22047c9, 0x515d3685}));
  EXPECT_EQ(RandomStream("sessions", 2026).key(), (PhiloxKey{0x299ee36b, 0x6ad0ce6b}));
  EXPECT_EQ(RandomStream("cancel", 2026).key(), (PhiloxKey{0x4a798cc9, 0x9806a2e8}));
}

TEST(RandomStream, DrawsAreFunctionsOfTheirPlace) {
  const RandomStream lengths("lengths", 2026);
  EXPECT_EQ(lengths.uniform(0), 0.9025454467737918);
  EXPECT_EQ(lengths.uniform(1), 0.7239236761544589);
  EXPECT_EQ(lengths.uniform(warmup_index(0)), 0.9670401815530801);
  EXPECT_EQ(lengths.uniform(0, 1), 0.6845634814686951);
  EXPECT_EQ(RandomStream("cancel", 2026).uniform(0, 1), 0.9565334269657583);
}

TEST(RandomStream, DrawsAreUniform) {
  constexpr int kDraws = 20000;
  const RandomStream stream("arrivals", 1);
  double sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = stream.uniform(i);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 4 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / kDraws));
}

}  // namespace
}  // namespace mie::bench
