// The generator of workloads with `compat = "python"`: Python's random.Random(seed), word for word, so that lists drawn there
// and here are the same. A value; one thread.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace mie::bench {

class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed);

  // The generator's next 32 bits.
  std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }

  // 0 … n - 1: the upper bits of words until they are below n. REQUIRES: n ≥ 1.
  std::uint32_t below(std::uint32_t n);

  // a … b, both included. REQUIRES: a ≤ b.
  int uniform(int a, int b) { return a + static_cast<int>(below(static_cast<std::uint32_t>(b - a) + 1)); }

  // REQUIRES: not empty.
  int choice(std::span<const int> values) { return values[below(static_cast<std::uint32_t>(values.size()))]; }

 private:
  std::mt19937 engine_;
};

}  // namespace mie::bench
