// Random numbers of a simulation: the same on every machine and library, and a stream of its own for each part of a scenario,
// so that taking one part away leaves the others as they were. Value.
#pragma once

#include <cstdint>

namespace mie::sim {

class SimRandom {
 public:
  // Stream `part` of a seed (SplitMix64 of Steele, Lea and Flood).
  SimRandom(std::uint64_t seed, std::uint64_t part) : state_(mixed(seed + mixed(part))) {}

  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15ULL); }

  // Both included. The error of the modulus is below 1e-9.
  int between(int least, int most) {
    return least + static_cast<int>(next() % (static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) + 1));
  }

  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace mie::sim
