#include "models/native/kv_pages.h"
#include "tests/models/native/kernel_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mie::native::testing {
namespace {

constexpr int kTokens = 700;  // crosses a chunk, ends inside a tile
constexpr int kDim = 64;

ModelSpec one_head(int dim) {
  ModelSpec spec;
  spec.n_layers = 1;
  spec.n_kv_heads = 1;
  spec.n_heads = 1;
  spec.head_dim = dim;
  return spec;
}

std::vector<std::uint16_t> random_bf16(std::size_t n, std::mt19937& rng) {
  std::vector<std::uint16_t> out(n);
  for (std::uint16_t& v : out) {
    const float x = random_floats(1, rng)[0];
    std::uint32_t bits;
    std::memcpy(&bits, &x, 4);
    v = static_cast<std::uint16_t>(bits >> 16);
  }
  return out;
}

// K and V of one head in pages handed out in a shuffled order.
struct TestKv {
  TestKv(int block_size, int dim, std::mt19937& rng)
      : dim(dim), keys(random_bf16(static_cast<std::size_t>(kTokens * dim), rng)), values(keys) {
    values = random_bf16(keys.size(), rng);
    place(block_size, rng);
  }
  void place(int block_size, std::mt19937& rng) {
    const int n_blocks = (kTokens + block_size - 1) / block_size;
    table.resize(static_cast<std::size_t>(n_blocks));
    std::iota(table.begin(), table.end(), 0);
    std::shuffle(table.begin(), table.end(), rng);
    pages = std::make_unique<KvPages>(KvPages::make(one_head(dim), n_blocks, block_size).value());
    for (int t = 0; t < kTokens; ++t) {
      const auto at = static_cast<std::size_t>(t * dim);
      KvPages::store_key(head(), t, std::span(keys).subspan(at, static_cast<std::size_t>(dim)));
      KvPages::store_value(head(), t, std::span(values).subspan(at, static_cast<std::size_t>(dim)));
    }
  }
  [[nodiscard]] KvHead head() const { return pages->head(0, 0, table.data()); }

  int dim;
  std::vector<std::uint16_t> keys, values;  // [tokens, dim]
  std::vector<std::int32_t> table;
  std::unique_ptr<KvPages> pages;
};

// Softmax attention in double precision over positions 0 … last.
std::vector<double> exact(const TestKv& kv, const std::uint16_t* q, int last) {
  std::vector<double> scores, out(static_cast<std::size_t>(kv.dim), 0);
  for (int t = 0; t <= last; ++t) {
    double s = 0;
    for (int d = 0; d < kv.dim; ++d) {
      s += static_cast<double>(widen(q[d])) * static_cast<double>(widen(kv.keys[static_cast<std::size_t>(t * kv.dim + d)]));
    }
    scores.push_back(s / std::sqrt(kv.dim));
  }
  const double top = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double& s : scores) total += s = std::exp(s - top);
  for (std::size_t t = 0; t < scores.size(); ++t) {
    for (std::size_t d = 0; d < out.size(); ++d) {
      out[d] += scores[t] / total * static_cast<double>(widen(kv.values[t * out.size() + d]));
    }
  }
  return out;
}

// Chunk by chunk with combine, as the forward pass runs it.
std::vector<float> attend(const KernelTable& kernels, const TestKv& kv, const std::uint16_t* q,
                          const std::vector<std::int32_t>& last) {
  const auto n = static_cast<int>(last.size());
  const int end = *std::max_element(last.begin(), last.end()) + 1;
  std::vector<float> running(static_cast<std::size_t>(n * kv.dim), 0), partial(running), max(last.size()), sum(last.size());
  std::vector<float> running_max(last.size(), -std::numeric_limits<float>::infinity()), running_sum(last.size(), 0);
  for (int begin = 0; begin < end; begin += kAttnChunk) {
    const AttnTask task{q, last.data(), n, begin, std::min(begin + kAttnChunk, end), 1 / std::sqrt(static_cast<float>(kv.dim))};
    kernels.attend(kv.head(), task, {max.data(), sum.data(), partial.data()});
    for (std::size_t r = 0; r < last.size(); ++r) {
      const std::size_t at = r * static_cast<std::size_t>(kv.dim);
      kernels.combine(kv.dim, running_max[r], running_sum[r], running.data() + at, max[r], sum[r], partial.data() + at);
    }
  }
  for (std::size_t r = 0; r < last.size(); ++r)
    kernels.normalise(kv.dim, running_sum[r], running.data() + r * static_cast<std::size_t>(kv.dim));
  return running;
}

class AttentionKernels : public ::testing::TestWithParam<Isa> {
 protected:
  const KernelTable& kernels = kernel_table(GetParam());
  std::mt19937 rng{5};
};

TEST_P(AttentionKernels, MatchDoublePrecisionForEveryHeadSizeAndLength) {
  for (const int dim : {32, 64, 96, 128, 256}) {
    const TestKv kv(32, dim, rng);
    const auto q = random_bf16(static_cast<std::size_t>(3 * dim), rng);
    for (const int last : {0, 1, 14, 15, 16, 31, 32, 62, 63, 64, 100, 511, 512, 513, 699}) {
      const auto got = attend(kernels, kv, q.data(), {last, last, last});
      for (int r = 0; r < 3; ++r) {
        const auto want = exact(kv, q.data() + r * dim, last);
        for (std::size_t d = 0; d < want.size(); ++d) {
          // probabilities carry 8 bits, at random signs
          EXPECT_NEAR(got[static_cast<std::size_t>(r * dim) + d], want[d], 0.01) << "dim " << dim << " last " << last;
        }
      }
    }
  }
}

TEST_P(AttentionKernels, ARowHasTheSameBitsWhateverItsCompany) {
  const TestKv kv(32, kDim, rng);
  const auto q = random_bf16(static_cast<std::size_t>(kAttnRows * kDim), rng);
  const std::vector<std::int32_t> last = {0, 40, 62, 63, 64, 65, 100, 300, 500, 511, 512, 513, 515, 600, 698, 699};
  const auto together = attend(kernels, kv, q.data(), last);
  for (std::size_t r = 0; r < last.size(); ++r) {
    const auto alone = attend(kernels, kv, q.data() + r * kDim, {last[r]});
    EXPECT_EQ(std::memcmp(alone.data(), together.data() + r * kDim, kDim * sizeof(float)), 0) << "row " << r;
  }
}

TEST_P(AttentionKernels, BitsDoNotDependOnThePageSize) {
  TestKv kv(32, kDim, rng);
  const auto q = random_bf16(static_cast<std::size_t>(3 * kDim), rng);
  const auto reference = attend(kernels, kv, q.data(), {33, 600, 699});
  for (const int block_size : {8, 16, 64, 96, 256, kTokens}) {
    kv.place(block_size, rng);
    EXPECT_EQ(attend(kernels, kv, q.data(), {33, 600, 699}), reference) << "block size " << block_size;
  }
}

TEST_P(AttentionKernels, WhatAnEarlierOwnerLeftInAPageIsNotSeen) {
  TestKv kv(32, kDim, rng);
  const auto q = random_bf16(kDim, rng);
  const auto reference = attend(kernels, kv, q.data(), {64});
  const std::vector<std::uint16_t> poison(kDim, 0x7fc0);  // NaN
  for (int t = 65; t < kTokens; ++t) {
    KvPages::store_key(kv.head(), t, poison);
    KvPages::store_value(kv.head(), t, poison);
  }
  // position 64 comes again, over the poison of its odd neighbour
  KvPages::store_value(kv.head(), 64, std::span(kv.values).subspan(64 * kDim, kDim));
  EXPECT_EQ(attend(kernels, kv, q.data(), {64}), reference);
}

// A block table is -1 past the sequence's pages; here what stands there is no address that can be read.
TEST_P(AttentionKernels, PagesPastTheLastTokenAreNotRead) {
  for (const int block_size : {8, 16, 32}) {
    TestKv kv(block_size, kDim, rng);
    const auto q = random_bf16(kDim, rng);
    for (const int last : {0, 6, 7, 8, 15, 16, 40}) {
      const auto whole = kv.table;
      std::fill(kv.table.begin() + last / block_size + 1, kv.table.end(), 1 << 30);
      const auto got = attend(kernels, kv, q.data(), {last});
      kv.table = whole;
      EXPECT_EQ(got, attend(kernels, kv, q.data(), {last})) << "block size " << block_size << " last " << last;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, AttentionKernels, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace mie::native::testing
