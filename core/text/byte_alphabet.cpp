#include "core/text/byte_alphabet.h"

#include "core/text/utf8.h"

namespace mie {
namespace {

constexpr bool stands_for_itself(std::size_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// REQUIRES: code_point < 0x800.
std::string encode(std::size_t code_point) {
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  return {static_cast<char>(0xC0 | (code_point >> 6)), static_cast<char>(0x80 | (code_point & 0x3F))};
}

// REQUIRES: one well-formed code point. Anything past two bytes is past the alphabet too.
std::size_t decode(std::string_view code_point) {
  const auto first = static_cast<unsigned char>(code_point[0]);
  if (code_point.size() == 1) return first;
  if (code_point.size() > 2) return SIZE_MAX;
  return (std::size_t{first} & 0x1F) << 6 | (static_cast<unsigned char>(code_point[1]) & 0x3F);
}

}  // namespace

ByteAlphabet::ByteAlphabet() {
  bytes_.fill(-1);
  std::size_t next = 0x100;
  for (std::size_t byte = 0; byte < letters_.size(); ++byte) {
    const std::size_t code_point = stands_for_itself(byte) ? byte : next++;
    letters_[byte] = encode(code_point);
    bytes_[code_point] = static_cast<std::int16_t>(byte);
  }
}

std::optional<std::string> ByteAlphabet::bytes(std::string_view written) const {
  std::string out;
  while (!written.empty()) {
    const Utf8Step step = next_utf8(written);
    if (step.kind != Utf8Kind::kWhole) return std::nullopt;
    const std::size_t code_point = decode(written.substr(0, step.n_bytes));
    if (code_point >= bytes_.size() || bytes_[code_point] < 0) return std::nullopt;
    out += static_cast<char>(bytes_[code_point]);
    written.remove_prefix(step.n_bytes);
  }
  return out;
}

}  // namespace mie
