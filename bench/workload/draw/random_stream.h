// Random numbers of a workload: one stream per purpose, in which each value has a place of its own, so that changing one part
// of a specification leaves the others' values alone. Philox4x32-10; the key is the first 64 bits of SHA-256 of
// "mie.bench.<purpose>.<seed>". A value; any thread.
#pragma once

#include "models/sampling/counter_rng.h"

#include <cstdint>
#include <string_view>

namespace mie::bench {

class RandomStream {
 public:
  RandomStream(std::string_view purpose, std::int64_t seed);  // lengths, arrivals, content, sessions, cancel, text

  // Value `index` of a kind (`lane`), strictly between 0 and 1: an odd multiple of 2^-53.
  [[nodiscard]] double uniform(std::uint64_t index, std::uint32_t lane = 0) const;

  // Many small numbers for one index: four words a block.
  [[nodiscard]] PhiloxCounter words(std::uint64_t index, std::uint32_t lane, std::uint32_t block) const;

  [[nodiscard]] PhiloxKey key() const { return key_; }

 private:
  PhiloxKey key_;
};

// The index of warm-up request i: they draw from the upper half, so that their number does not shift the others.
[[nodiscard]] constexpr std::uint64_t warmup_index(std::uint64_t i) { return (std::uint64_t{1} << 63U) + i; }

}  // namespace mie::bench
