// The sequence lengths over which KV capacity and waste are tabled. Values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mie::bench {

struct LengthList {
  std::string name;
  std::vector<int> lengths;  // tokens

  [[nodiscard]] std::int64_t sum() const;
  [[nodiscard]] std::string sha256() const;  // of the lengths in decimal, joined by commas
};

inline constexpr std::uint64_t kKvSeed = 2026;
inline constexpr int kLongestSequence = 2048;  // tokens

// many_short, mixed, many_long: 1000 lengths each, drawn in this order from one PythonRandom(seed).
[[nodiscard]] std::vector<LengthList> kv_length_lists(std::uint64_t seed);

}  // namespace mie::bench
