// Damaged files by the thousand: each is read or refused in one line, within memory bounded by the file's size. The
// sanitizer builds turn any read outside the file into a failure.
#include "models/registry.h"
#include "tests/fakes/allocation_meter.h"
#include "tests/fakes/tiny_llama.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace mie {
namespace {

using Bytes = std::vector<std::byte>;

// Smallest model with every kind of metadata and several formats; about 20 KB.
const test::GgufBuilder& base_model() {
  static const auto builder = test::tiny_llama(
      {.n_layers = 1, .hidden = 32, .n_heads = 2, .n_kv_heads = 1, .ffn_hidden = 32, .weights = QuantFormat::kQ8_0});
  return builder;
}

// Bytes that a reader may ask for, per byte of file: a map node for a short key and a view for an empty string are the worst.
constexpr std::size_t kBytesPerFileByte = 24;
constexpr std::size_t kFixedBytes = 4096;

bool is_one_line(const std::string& message) {
  return message.starts_with("m.gguf: ") && message.size() < 400 &&
         std::ranges::all_of(message, [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

// Reads the copy, which ends where its heap block ends. True when a model came out.
bool survives(const Bytes& mutated) {
  const Bytes bytes(mutated.begin(), mutated.end());
  const auto before = test::bytes_allocated_by_this_thread();
  auto file = GgufFile::parse(bytes, "m.gguf");
  const auto allocated = test::bytes_allocated_by_this_thread() - before;
  EXPECT_LE(allocated, kFixedBytes + kBytesPerFileByte * bytes.size());
  if (!file) {
    EXPECT_EQ(file.error().code, Errc::kModelFormat);
    EXPECT_TRUE(is_one_line(file.error().message)) << file.error().message;
    return false;
  }
  unsigned sum = 0;  // touch both ends of every view
  for (const TensorView& tensor : (*file)->tensors()) {
    EXPECT_EQ(static_cast<std::int64_t>(tensor.bytes.size()), stored_bytes(tensor.format, tensor.n_elements()));
    sum += std::to_integer<unsigned>(tensor.bytes.front()) + std::to_integer<unsigned>(tensor.bytes.back());
    EXPECT_EQ((*file)->find(tensor.name), &tensor);
  }
  EXPECT_LE(sum, 510 * (*file)->tensors().size());
  const auto plan = plan_model(**file);
  if (plan) return true;
  EXPECT_EQ(plan.error().code, Errc::kModelFormat);
  EXPECT_TRUE(is_one_line(plan.error().message)) << plan.error().message;
  return false;
}

Bytes slice(const Bytes& bytes, std::size_t from, std::size_t n) {
  const auto start = bytes.begin() + static_cast<std::ptrdiff_t>(from);
  return {start, start + static_cast<std::ptrdiff_t>(std::min(n, bytes.size() - from))};
}

// One random damage within the first `header` bytes.
void damage(Bytes& bytes, std::size_t header, std::mt19937_64& random) {
  constexpr std::array<std::uint64_t, 10> kExtremes = {0,          1,          2,          31,         0x7fffffff,
                                                       0xffffffff, 1ULL << 32, 1ULL << 61, 1ULL << 63, ~0ULL};
  const auto at = static_cast<std::size_t>(random() % std::min(header, bytes.size() - 8));
  const auto n = static_cast<std::size_t>(random() % 16 + 1);
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random() % 6) {
    case 0:
      *place ^= static_cast<std::byte>(1U << (random() % 8));
      return;
    case 1:
      *place = static_cast<std::byte>(random() & 0xff);
      return;
    case 2:
      std::memcpy(&*place, &kExtremes.at(random() % kExtremes.size()), random() % 2 == 0 ? 4 : 8);
      return;
    case 3:
      bytes.erase(place, place + static_cast<std::ptrdiff_t>(std::min(n, bytes.size() - at)));
      return;
    case 4:
      bytes.insert(place, n, static_cast<std::byte>(random() & 0xff));
      return;
    default: {
      const Bytes copied = slice(bytes, static_cast<std::size_t>(random() % bytes.size()), n * 8);
      bytes.insert(place, copied.begin(), copied.end());
    }
  }
}

TEST(GgufMutation, TheBaseIsAModel) { EXPECT_TRUE(survives(base_model().bytes())); }

TEST(GgufMutation, EveryTruncationIsRefused) {
  const Bytes whole = base_model().bytes();
  const std::size_t header = base_model().header_bytes();
  // The last tensor, a norm of 128 bytes, ends on the alignment: there is no padding to spare.
  for (std::size_t n = 0; n < whole.size(); n += n < header ? 1 : 7) {
    ASSERT_FALSE(survives(slice(whole, 0, n))) << "cut at " << n;
  }
}

TEST(GgufMutation, EveryHeaderByteFlippedIsReadOrRefused) {
  const Bytes whole = base_model().bytes();
  int n_refused = 0;
  for (std::size_t at = 0; at < base_model().header_bytes(); ++at) {
    for (const std::byte flip : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
      Bytes damaged = whole;
      damaged[at] ^= flip;
      n_refused += survives(damaged) ? 0 : 1;
    }
  }
  // The first 24 bytes are magic, version and counts: none of them can change unseen.
  EXPECT_GE(n_refused, 24 * 3);
}

TEST(GgufMutation, RandomDamageNeverCrashesNorGrowsMemory) {
  const Bytes whole = base_model().bytes();
  const std::size_t header = base_model().header_bytes();
  std::mt19937_64 random(20240607);
  int n_models = 0;
  constexpr int kRounds = 12'000;
  for (int round = 0; round < kRounds; ++round) {
    Bytes damaged = whole;
    for (auto n = random() % 3 + 1; n > 0; --n) damage(damaged, header, random);
    n_models += survives(damaged) ? 1 : 0;
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(n_models, 0);        // some damage falls on names and scores
  EXPECT_LT(n_models, kRounds);  // and some does not
}

// Files that spend as little as they can on each record.
TEST(GgufMutation, ManySmallRecordsStayWithinTheMemoryBound) {
  test::GgufBuilder keys;
  for (int i = 0; i < 3000; ++i) keys.raw(std::to_string(i), 0, std::array{std::byte{1}});
  (void)survives(keys.bytes());
  test::GgufBuilder texts;
  texts.texts("k", std::vector<std::string>(20'000));
  (void)survives(texts.bytes());
  test::GgufBuilder tensors;
  tensors.alignment = 8;
  tensors.u32("general.alignment", 8);
  for (int i = 0; i < 3000; ++i) tensors.tensor(std::to_string(i), QuantFormat::kF32, {1}, Bytes(4));
  (void)survives(tensors.bytes());
}

}  // namespace
}  // namespace mie
