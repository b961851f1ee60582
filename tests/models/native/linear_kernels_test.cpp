#include "models/native/kernels/kernel_table.h"
#include "tests/models/native/kernel_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mie::native::testing {
namespace {

constexpr QuantFormat kStored[] = {QuantFormat::kQ4_0, QuantFormat::kQ4_1, QuantFormat::kQ8_0,
                                   QuantFormat::kBF16, QuantFormat::kF16,  QuantFormat::kF32};
constexpr int kK = 576;
constexpr int kRows = 37;
constexpr int kRowCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 17, 32, 37};

bool quantised(QuantFormat format) { return pack_format_of(format) != PackFormat::kBf16; }

std::vector<float> run(const KernelTable& kernels, const TestPanel& panel, const TestActs& acts, int n_rows, bool s8) {
  const PackFormat format = pack_format_of(panel.stored);
  const auto at = static_cast<std::size_t>(format);
  std::vector<float> out(static_cast<std::size_t>(n_rows * kPanel), -1);
  if (format == PackFormat::kBf16) {
    kernels.linear_bf16(panel.packed.get(), panel.k, acts.bf16.data(), panel.k, n_rows, out.data());
  } else if (s8) {
    kernels.linear_s8[at](panel.packed.get(), panel.k, acts.s8.data(), n_rows, out.data());
  } else if (kernels.linear_rounded[at] != nullptr) {
    kernels.linear_rounded[at](panel.packed.get(), panel.k, acts.bf16.data(), panel.k, n_rows, out.data());
  } else {
    kernels.linear_w4a16[at](panel.packed.get(), panel.k, acts.split.data(), n_rows, out.data());
  }
  return out;
}

// Largest |got - exact| over sum |terms|: rounding of the sum, not of its result.
double relative_error(const TestPanel& panel, const std::vector<double>& a, const std::vector<float>& got, int n_rows) {
  double worst = 0;
  for (int r = 0; r < n_rows; ++r) {
    for (int n = 0; n < kPanel; ++n) {
      double exact = 0, size = 1e-30;
      for (int i = 0; i < panel.k; ++i) {
        const double term = static_cast<double>(panel.values[static_cast<std::size_t>(n)][static_cast<std::size_t>(i)]) *
                            a[static_cast<std::size_t>(r * panel.k + i)];
        exact += term;
        size += std::fabs(term);
      }
      worst = std::max(worst, std::fabs(static_cast<double>(got[static_cast<std::size_t>(r * kPanel + n)]) - exact) / size);
    }
  }
  return worst;
}

class LinearKernels : public ::testing::TestWithParam<Isa> {
 protected:
  const KernelTable& kernels = kernel_table(GetParam());
  std::mt19937 rng{7};
  std::vector<float> x = random_floats(kRows * kK, rng);
};

TEST_P(LinearKernels, EightBitActivationsGiveTheExactProductOfTheirValues) {
  const TestActs acts(kernels, x, kRows, kK);
  std::vector<double> a;
  for (std::size_t i = 0; i < x.size(); ++i)
    a.push_back(static_cast<double>(acts.q(i)) * static_cast<double>(acts.s8[i / kGroup].scale));
  for (const QuantFormat format : kStored) {
    if (!quantised(format)) continue;
    const TestPanel panel(format, kK, rng);
    EXPECT_LT(relative_error(panel, a, run(kernels, panel, acts, kRows, true), kRows), 2e-6) << format_info(format).name;
  }
}

TEST_P(LinearKernels, Bf16ActivationsGiveTheExactProductOfTheirValues) {
  const TestActs acts(kernels, x, kRows, kK);
  std::vector<double> a;
  for (const std::uint16_t bits : acts.bf16) a.push_back(static_cast<double>(widen(bits)));
  for (const QuantFormat format : kStored) {
    const TestPanel panel(format, kK, rng);
    // F32 and F16 weights are rounded to bf16 once, 2^-9 relative; so are quantised ones by kernels that say so.
    const bool rounded = format == QuantFormat::kF32 || format == QuantFormat::kF16 ||
                         (quantised(format) && kernels.linear_rounded[static_cast<std::size_t>(pack_format_of(format))]);
    const double limit = rounded ? 0x1p-9 : 2e-6;
    EXPECT_LT(relative_error(panel, a, run(kernels, panel, acts, kRows, false), kRows), limit) << format_info(format).name;
  }
}

TEST_P(LinearKernels, ARowHasTheSameBitsForAnyNumberOfRows) {
  const TestActs acts(kernels, x, kRows, kK);
  for (const QuantFormat format : kStored) {
    const TestPanel panel(format, kK, rng);
    for (const bool s8 : {true, false}) {
      if (s8 && !quantised(format)) continue;
      const auto whole = run(kernels, panel, acts, kRows, s8);
      for (const int n : kRowCounts) {
        const auto some = run(kernels, panel, acts, n, s8);
        EXPECT_EQ(std::memcmp(some.data(), whole.data(), some.size() * sizeof(float)), 0)
            << format_info(format).name << " rows " << n;
      }
    }
  }
}

TEST_P(LinearKernels, Bf16RowsMayBeFurtherApartThanK) {
  constexpr int kStride = kK + kGroup;
  const TestActs acts(kernels, x, kRows, kK);
  std::vector<std::uint16_t> apart(kRows * kStride, 0x7fc0);  // NaN in between
  for (int r = 0; r < kRows; ++r) std::copy_n(acts.bf16.data() + r * kK, kK, apart.data() + r * kStride);
  for (const QuantFormat format : kStored) {
    const TestPanel panel(format, kK, rng);
    const auto at = static_cast<std::size_t>(pack_format_of(format));
    const LinearBf16 linear = quantised(format) ? kernels.linear_rounded[at] : kernels.linear_bf16;
    if (linear == nullptr) continue;
    std::vector<float> out(kRows * kPanel);
    linear(panel.packed.get(), kK, apart.data(), kStride, kRows, out.data());
    EXPECT_EQ(out, run(kernels, panel, acts, kRows, false)) << format_info(format).name;
  }
}

TEST_P(LinearKernels, ActivationsHaveTheBitsOfTheScalarUnit) {
  const TestActs acts(kernels, x, kRows, kK), reference(kernel_table(Isa::kScalar), x, kRows, kK);
  for (std::size_t g = 0; g < acts.s8.size(); ++g) {
    EXPECT_EQ(std::memcmp(acts.s8[g].q, reference.s8[g].q, kGroup), 0);
    EXPECT_EQ(acts.s8[g].minus_8_sums, reference.s8[g].minus_8_sums);
    EXPECT_EQ(acts.s8[g].minus_128_sums, reference.s8[g].minus_128_sums);
    EXPECT_EQ(acts.s8[g].scale, reference.s8[g].scale);
    EXPECT_EQ(acts.s8[g].asum, reference.s8[g].asum);
    EXPECT_EQ(std::memcmp(acts.split[g].a, reference.split[g].a, sizeof acts.split[g].a), 0);
    EXPECT_EQ(acts.split[g].asum, reference.split[g].asum);
  }
  EXPECT_EQ(acts.bf16, reference.bf16);
}

// The longer K is more than a unit that unpacks weights does at a time.
TEST_P(LinearKernels, IntegerKernelsHaveTheBitsOfTheScalarUnit) {
  const KernelTable& scalar = kernel_table(Isa::kScalar);
  for (const int k : {kK, 1536}) {
    const auto inputs = random_floats(static_cast<std::size_t>(kRows * k), rng);
    const TestActs acts(kernels, inputs, kRows, k), reference(scalar, inputs, kRows, k);
    for (const QuantFormat format : kStored) {
      if (!quantised(format)) continue;
      const TestPanel panel(format, k, rng);
      EXPECT_EQ(run(kernels, panel, acts, kRows, true), run(scalar, panel, reference, kRows, true))
          << format_info(format).name << k;
    }
  }
}

TEST_P(LinearKernels, ExtremeQuantsDoNotOverflow) {
  std::vector<float> extreme(kK);
  for (std::size_t i = 0; i < extreme.size(); ++i) extreme[i] = i % 2 == 0 ? 127.0F : -127.0F;
  const TestActs acts(kernels, extreme, 1, kK);
  std::vector<double> a;
  for (std::size_t i = 0; i < extreme.size(); ++i) a.push_back(static_cast<double>(acts.q(i)));
  TestPanel panel(QuantFormat::kQ8_0, kK, rng);
  for (auto& row : panel.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i % 34 >= 2) row[i] = static_cast<std::byte>(i % 2 == 0 ? 0x80 : 0x7f);  // -128 against 127, 127 against -127
    }
  }
  std::vector<SourceRow> sources;
  for (std::size_t n = 0; n < kPanel; ++n) {
    sources.push_back({QuantFormat::kQ8_0, panel.rows[n].data()});
    dequantise(QuantFormat::kQ8_0, panel.rows[n], panel.values[n]);
  }
  packer(PackFormat::kQ8_0).pack_panel(sources, kK, panel.packed.get());
  EXPECT_LT(relative_error(panel, a, run(kernels, panel, acts, 1, true), 1), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Isa, LinearKernels, ::testing::ValuesIn(supported_isas()), [](const auto& isa) {
  std::string name(isa_name(isa.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Packer, UnpacksToWhatTheStoredFormatMeans) {
  std::mt19937 rng(3);
  for (const QuantFormat format : kStored) {
    const TestPanel panel(format, 96, rng);
    for (int column = 0; column < kPanel; ++column) {
      std::vector<float> got(96);
      packer(pack_format_of(format)).unpack_column(panel.packed.get(), 96, column, got.data());
      const auto& want = panel.values[static_cast<std::size_t>(column)];
      for (std::size_t i = 0; i < got.size(); ++i) {
        const bool rounded = format == QuantFormat::kF32 || format == QuantFormat::kF16;
        EXPECT_NEAR(got[i], want[i], rounded ? std::fabs(want[i]) * 0x1p-8F : 0) << format_info(format).name << " " << i;
      }
    }
  }
}

TEST(Packer, MissingRowsGiveZero) {
  std::mt19937 rng(4);
  for (const QuantFormat format : kStored) {
    const auto row = random_row(format, 64, rng);
    std::vector<SourceRow> sources(kPanel, SourceRow{format, nullptr});
    sources[5].bytes = row.data();
    const Packer& pack = packer(pack_format_of(format));
    const AlignedBytes packed(pack.panel_bytes(64));
    pack.pack_panel(sources, 64, packed.get());
    std::vector<float> column(64, 1);
    pack.unpack_column(packed.get(), 64, 6, column.data());
    if (pack_format_of(format) == PackFormat::kBf16) {
      EXPECT_EQ(column, std::vector<float>(64, 0));
    }
    const std::vector<float> x = random_floats(64, rng);
    const KernelTable& kernels = kernel_table(Isa::kScalar);
    const TestActs acts(kernels, x, 1, 64);
    float out[kPanel];
    const PackFormat to = pack_format_of(format);
    if (to == PackFormat::kBf16) {
      kernels.linear_bf16(packed.get(), 64, acts.bf16.data(), 64, 1, out);
    } else {
      kernels.linear_s8[static_cast<std::size_t>(to)](packed.get(), 64, acts.s8.data(), 1, out);
    }
    for (int n = 0; n < kPanel; ++n) EXPECT_EQ(out[n] == 0, n != 5) << format_info(format).name << " " << n;
  }
}

}  // namespace
}  // namespace mie::native::testing
