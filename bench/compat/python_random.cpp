#include "bench/compat/python_random.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <array>
#include <bit>

namespace mie::bench {
namespace {

constexpr std::size_t kWords = std::mt19937::state_size;
using State = std::array<std::uint32_t, kWords>;

std::uint32_t mixed(std::uint32_t before, std::uint32_t factor) { return (before ^ (before >> 30)) * factor; }

// Matsumoto and Nishimura's init_by_array over the seed's 32-bit words, the lowest first. The standard library seeds in
// another way, but takes a state as it is.
State state_of(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  const std::uint32_t n_key = key[1] == 0 ? 1 : 2;
  State state;
  state[0] = 19650218;
  for (std::uint32_t i = 1; i < kWords; ++i) state[i] = mixed(state[i - 1], 1812433253) + i;

  std::size_t i = 1;
  const auto next = [&] {
    if (++i < kWords) return;
    state[0] = state[kWords - 1];
    i = 1;
  };
  for (std::uint32_t k = 0; k < kWords; ++k, next()) {
    const std::uint32_t j = k % n_key;
    state[i] = (state[i] ^ mixed(state[i - 1], 1664525)) + key[j] + j;
  }
  for (std::uint32_t k = 1; k < kWords; ++k, next()) {
    state[i] = (state[i] ^ mixed(state[i - 1], 1566083941)) - static_cast<std::uint32_t>(i);
  }
  state[0] = 0x80000000U;
  return state;
}

// A seed sequence as the standard library wants it, which hands out a whole state.
class WholeState {
 public:
  using result_type = std::uint32_t;
  explicit WholeState(const State& state) : state_(state) {}
  template <class Iterator>
  void generate(Iterator first, Iterator last) const {
    std::copy_n(state_.begin(), last - first, first);
  }

 private:
  const State& state_;
};

std::mt19937 engine_of(std::uint64_t seed) {
  const State state = state_of(seed);
  WholeState words(state);
  return std::mt19937(words);
}

}  // namespace

PythonRandom::PythonRandom(std::uint64_t seed) : engine_(engine_of(seed)) {}

std::uint32_t PythonRandom::below(std::uint32_t n) {
  ENSURE(n >= 1, "a draw below 0");
  const auto n_bits = static_cast<int>(std::bit_width(n));
  std::uint32_t drawn = word() >> (32 - n_bits);
  while (drawn >= n) drawn = word() >> (32 - n_bits);
  return drawn;
}

}  // namespace mie::bench
