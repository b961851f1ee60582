// Peak loops without an ISA of their own: memory can be read, and there is no instruction to count.
#include "models/native/peaks/peak_table.h"

namespace {

std::uint64_t read_words(const std::byte* data, std::size_t n_bytes) {
  constexpr std::size_t kWords = mie::native::kReadBlock / sizeof(std::uint64_t);
  std::uint64_t sums[kWords] = {};
  for (std::size_t at = 0; at < n_bytes; at += mie::native::kReadBlock) {
    std::uint64_t words[kWords];
    __builtin_memcpy(words, data + at, sizeof words);
    for (std::size_t i = 0; i < kWords; ++i) sums[i] ^= words[i];
  }
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all ^= sum;
  return all;
}

constexpr mie::native::PeakTable kPeaks = {.read = read_words, .fp32 = {}, .bf16 = {}, .int8 = {}};

}  // namespace

namespace mie::native {
const PeakTable& scalar_peaks() { return kPeaks; }
}  // namespace mie::native
