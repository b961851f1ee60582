// The printable alphabet in which byte-level vocabularies are written (GPT-2): bytes that are printable in Latin-1 stand
// for themselves, the others are U+0100, U+0101, … in byte order. E.g. a space is U+0120 and a line feed U+010A.
// Immutable after construction; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mie {

class ByteAlphabet {
 public:
  ByteAlphabet();

  // The letter of a byte, as UTF-8.
  [[nodiscard]] const std::string& letter(unsigned char byte) const { return letters_[byte]; }

  // Bytes that a written token stands for; nothing when one of its characters is no letter of the alphabet.
  [[nodiscard]] std::optional<std::string> bytes(std::string_view written) const;

 private:
  static constexpr std::size_t kFirstUnused = 0x144;  // one past the last letter's code point

  std::array<std::string, 256> letters_;
  std::array<std::int16_t, kFirstUnused> bytes_;  // [code point], -1 for no letter
};

}  // namespace mie
