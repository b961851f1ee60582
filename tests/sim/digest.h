// One number for all that happened, in order: two runs with the same digest took the same course. Value.
#pragma once

#include <cstdint>

namespace mie::sim {

class Digest {
 public:
  template <class... Numbers>
  void add(Numbers... numbers) {
    (fold(static_cast<std::uint64_t>(numbers)), ...);
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void fold(std::uint64_t number) {
    value_ = (value_ ^ number) * 0xFF51AFD7ED558CCDULL;
    value_ ^= value_ >> 32U;
  }

  std::uint64_t value_ = 0x6D69655F73696DULL;
};

}  // namespace mie::sim
