// The lists that Python's random.Random(2026) draws by the rules of the workload format, as they are published.
#include "bench/compat/python_random.h"

#include "bench/kv/length_lists.h"
#include "core/base/file_digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace mie::bench {
namespace {

TEST(PythonRandom, FirstWordsOfSeed2026) {
  PythonRandom random(2026);
  for (const std::uint32_t word : {511616025U, 1372175472U, 2158288730U, 4085985276U}) EXPECT_EQ(random.word(), word);
}

// random.Random(2**40 + 5).getrandbits(32), by CPython: a seed of two words.
TEST(PythonRandom, ASeedOfTwoWords) {
  PythonRandom random((std::uint64_t{1} << 40) + 5);
  for (const std::uint32_t word : {2166296868U, 2220160828U, 1153647273U}) EXPECT_EQ(random.word(), word);
}

// The word 511616025 begins 000111….
TEST(PythonRandom, DrawsTakeTheUpperBits) {
  EXPECT_EQ(PythonRandom(2026).below(1), 0U);
  EXPECT_EQ(PythonRandom(2026).below(16), 3U);          // five bits, since 16 has five
  EXPECT_EQ(PythonRandom(2026).uniform(8, 64), 8 + 7);  // six bits of 57
}

// random.Random(2026)._randbelow(33), by CPython: of six bits nearly half are too large and drawn again.
TEST(PythonRandom, DrawsThatAreTooLargeAreRepeated) {
  PythonRandom random(2026);
  for (const std::uint32_t drawn : {7U, 20U, 32U, 32U, 6U, 14U, 26U, 31U, 28U, 15U, 0U, 5U}) EXPECT_EQ(random.below(33), drawn);
}

TEST(PythonRandom, UniformStaysWithinItsBoundsAndReachesThem) {
  PythonRandom random(7);
  std::set<int> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(random.uniform(8, 64));
  EXPECT_EQ(*drawn.begin(), 8);
  EXPECT_EQ(*drawn.rbegin(), 64);
}

TEST(PythonRandom, ChoiceGivesOnlyListedValues) {
  constexpr std::array kListed = {32, 64, 128};
  PythonRandom random(7);
  std::set<int> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(random.choice(kListed));
  EXPECT_EQ(drawn, (std::set{32, 64, 128}));
}

// workloads/mixed.yaml: 32 requests, of each the prompt's length and then the answer's.
TEST(PythonRandom, DrawsTheMixedWorkload) {
  constexpr std::array kPrompts = {32, 64, 128, 256, 512};
  constexpr std::array kOutputs = {32, 64, 128, 256};
  PythonRandom random(2026);
  std::vector<int> prompts, outputs;
  std::string pairs;
  for (int i = 0; i < 32; ++i) {
    prompts.push_back(random.choice(kPrompts));
    outputs.push_back(random.choice(kOutputs));
    pairs += (i == 0 ? "" : ",") + std::to_string(prompts.back()) + ":" + std::to_string(outputs.back());
  }
  EXPECT_EQ(prompts, (std::vector{32,  512, 64, 512, 512, 64,  512, 32,  32,  32,  128, 256, 128, 256, 128, 512,
                                  128, 64,  32, 128, 256, 256, 32,  512, 256, 256, 512, 512, 64,  512, 512, 256}));
  EXPECT_EQ(outputs, (std::vector{128, 32,  256, 256, 256, 32,  32,  128, 256, 256, 64, 128, 128, 32, 32,  128,
                                  256, 128, 128, 256, 32,  256, 256, 256, 128, 256, 32, 64,  32,  32, 256, 64}));
  EXPECT_EQ(std::accumulate(prompts.begin(), prompts.end(), 0), 8000);
  EXPECT_EQ(std::accumulate(outputs.begin(), outputs.end(), 0), 4576);
  EXPECT_EQ(sha256_of(std::as_bytes(std::span(pairs))), "96845f1eaf18018d061679e6e8b5dc418b333dceeb917ce37bece0381af34b3a");
}

struct PublishedList {
  const char* name;
  std::int64_t sum;
  std::vector<int> first, last;
  const char* sha256;
};

TEST(LengthLists, AreThePublishedOnes) {
  const std::vector<PublishedList> published = {{"many_short",
                                                 36899,
                                                 {15, 28, 40, 40, 49, 63, 14, 64, 22, 46},
                                                 {42, 57, 62},
                                                 "2a56b184927a00a0fb4fc0fa11a5710dda14cd2a2bee58e060659e1bf81af619"},
                                                {"mixed",
                                                 672937,
                                                 {1290, 28, 43, 119, 386, 757, 165, 319, 1810, 156},
                                                 {1887, 216, 1969},
                                                 "fd4b7bab3101231b426af6387cd670c95222ca5d7202571022e29f31fd1c09a6"},
                                                {"many_long",
                                                 1263619,
                                                 {925, 1914, 812, 571, 1200, 1927, 762, 1728, 1456, 1248},
                                                 {624, 1525, 1364},
                                                 "841ef9167b3d2752d27e1eda7cbb0495ea527976391d300341be6204a33f1651"}};
  const auto lists = kv_length_lists(2026);
  ASSERT_EQ(lists.size(), published.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::vector<int>& lengths = lists[i].lengths;
    EXPECT_EQ(lists[i].name, published[i].name);
    ASSERT_EQ(lengths.size(), 1000U);
    EXPECT_EQ(lists[i].sum(), published[i].sum);
    EXPECT_EQ(std::vector<int>(lengths.begin(), lengths.begin() + 10), published[i].first);
    EXPECT_EQ(std::vector<int>(lengths.end() - 3, lengths.end()), published[i].last);
    EXPECT_EQ(lists[i].sha256(), published[i].sha256);
  }
}

TEST(LengthLists, AnotherSeedDrawsOthers) { EXPECT_NE(kv_length_lists(2027)[0].lengths, kv_length_lists(2026)[0].lengths); }

}  // namespace
}  // namespace mie::bench
