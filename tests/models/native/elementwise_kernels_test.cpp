#include "models/native/kernels/kernel_table.h"
#include "tests/models/native/kernel_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mie::native::testing {
namespace {

class ElementwiseKernels : public ::testing::TestWithParam<Isa> {
 protected:
  const KernelTable& kernels = kernel_table(GetParam());
  const KernelTable& scalar = kernel_table(Isa::kScalar);
  std::mt19937 rng{11};
};

TEST_P(ElementwiseKernels, RmsNormMatchesDoublePrecisionAndTheScalarBits) {
  for (const int k : {32, 576, 1536}) {
    const auto n = static_cast<std::size_t>(k);
    const auto x = random_floats(n, rng), weight = random_floats(n, rng);
    std::vector<float> got(n), reference(n);
    kernels.rms_norm_row(x.data(), weight.data(), k, 1e-5F, got.data());
    scalar.rms_norm_row(x.data(), weight.data(), k, 1e-5F, reference.data());
    EXPECT_EQ(got, reference);
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * static_cast<double>(v);
    for (std::size_t i = 0; i < n; ++i) {
      const double want = static_cast<double>(x[i]) / std::sqrt(squares / k + 1e-5) * static_cast<double>(weight[i]);
      EXPECT_NEAR(got[i], want, std::fabs(want) * 1e-6 + 1e-12);
    }
  }
}

TEST_P(ElementwiseKernels, QuantisedValuesAreNearestAndSymmetric) {
  const auto x = random_floats(320, rng, 3);
  const TestActs acts(kernels, x, 1, 320);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float scale = acts.s8[i / kGroup].scale;
    EXPECT_LE(std::fabs(x[i] - static_cast<float>(acts.q(i)) * scale), scale * 0.5001F);
    EXPECT_GE(acts.q(i), -127);
  }
  for (const ActS8& group : acts.s8) {
    std::int32_t sum = 0;
    for (const std::int8_t q : group.q) sum += q;
    EXPECT_EQ(group.minus_8_sums, -8 * sum);
    EXPECT_EQ(group.minus_128_sums, -128 * sum);
    EXPECT_EQ(group.asum, group.scale * static_cast<float>(sum));
  }
  const TestActs none(kernels, std::vector<float>(kGroup, 0), 1, kGroup);
  EXPECT_EQ(none.s8[0].scale, 0);
  for (const std::int8_t q : none.s8[0].q) EXPECT_EQ(q, 0);
}

TEST_P(ElementwiseKernels, SiluOfBothSignsIsWithinAFewUlps) {
  std::vector<float> gate = {0, -0.0F, 1, -1, 20, -20, 80, -80, 200, -200, 1e-6F, -1e-6F};
  while (gate.size() < kPanel) gate.push_back(random_floats(1, rng, 4)[0]);
  std::vector<float> got(kPanel), reference(kPanel);
  const std::vector<float> up(kPanel, 2);
  kernels.silu_mul_panel(gate.data(), up.data(), got.data());
  scalar.silu_mul_panel(gate.data(), up.data(), reference.data());
  EXPECT_EQ(got, reference);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double want = 2 * static_cast<double>(gate[i]) / (1 + std::exp(-static_cast<double>(gate[i])));
    EXPECT_NEAR(got[i], want, std::fabs(want) * 1e-6 + 1e-30) << gate[i];
  }
}

TEST_P(ElementwiseKernels, RotationTurnsHalfSplitPairs) {
  std::vector<float> x = random_floats(96, rng);
  const std::vector<float> before = x;
  std::vector<float> cosine, sine;
  for (int i = 0; i < 32; ++i) {
    cosine.push_back(std::cos(0.1F * static_cast<float>(i)));
    sine.push_back(std::sin(0.1F * static_cast<float>(i)));
  }
  kernels.rotate_row(x.data(), cosine.data(), sine.data(), 32);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_NEAR(x[i], before[i] * cosine[i] - before[i + 32] * sine[i], 1e-6);
    EXPECT_NEAR(x[i + 32], before[i + 32] * cosine[i] + before[i] * sine[i], 1e-6);
  }
  for (std::size_t i = 64; i < 96; ++i) EXPECT_EQ(x[i], before[i]);  // past the rotary dimensions
}

TEST_P(ElementwiseKernels, Bf16RoundsToNearestEven) {
  std::vector<float> x(16, 0);
  x[0] = 1.0F + 0x1p-8F;             // halfway, to even: 1
  x[1] = 1.0F + 3 * 0x1p-8F;         // halfway, to even: 1 + 2^-6
  x[2] = 1.0F + 0x1p-8F + 0x1p-20F;  // above halfway: 1 + 2^-7
  x[3] = -std::numeric_limits<float>::infinity();
  std::uint16_t out[16];
  kernels.store_bf16(x.data(), 16, out);
  EXPECT_EQ(widen(out[0]), 1.0F);
  EXPECT_EQ(widen(out[1]), 1.0F + 0x1p-6F);
  EXPECT_EQ(widen(out[2]), 1.0F + 0x1p-7F);
  EXPECT_EQ(widen(out[3]), -std::numeric_limits<float>::infinity());
}

TEST_P(ElementwiseKernels, TheBestLogitIsTheFirstOfTheHighestThatCount) {
  std::vector<float> logits(kPanel, -3);
  logits[5] = logits[20] = 2;
  logits[30] = 9;
  BestLogit best;
  kernels.find_best(logits.data(), 30, 100, best);  // 30 is padding
  EXPECT_EQ(best.id, 105);
  EXPECT_EQ(best.value, 2);
  kernels.find_best(logits.data(), 25, 200, best);  // as high, later
  EXPECT_EQ(best.id, 105);
  kernels.find_best(logits.data(), kPanel, 300, best);
  EXPECT_EQ(best.id, 330);
  kernels.find_best(logits.data(), 0, 400, best);
  EXPECT_EQ(best.id, 330);
  EXPECT_TRUE(best.sound);
}

TEST_P(ElementwiseKernels, ALogitThatIsNoNumberIsNoticedAnywhere) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (std::size_t at = 0; at < kPanel; ++at) {
      std::vector<float> logits(kPanel, 1);
      logits[at] = bad;
      BestLogit best;
      kernels.find_best(logits.data(), 7, 0, best);
      EXPECT_FALSE(best.sound) << at;
    }
  }
  const std::vector<float> all(kPanel, std::numeric_limits<float>::quiet_NaN());
  BestLogit best;
  kernels.find_best(all.data(), kPanel, 0, best);
  EXPECT_FALSE(best.sound);
  const std::vector<float> masked(kPanel, -std::numeric_limits<float>::infinity());
  BestLogit none;
  kernels.find_best(masked.data(), kPanel, 0, none);
  EXPECT_TRUE(none.sound);
  EXPECT_EQ(none.id, -1);
}

INSTANTIATE_TEST_SUITE_P(Isa, ElementwiseKernels, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace mie::native::testing
