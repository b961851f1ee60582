#include "tests/text/base64.h"

#include "core/base/ensure.h"

#include <cstdint>

namespace mie::test {

std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  ENSURE(text.size() % 4 == 0, "base64 is not padded");
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  std::uint32_t bits = 0;
  int n_bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    ENSURE(digit != std::string_view::npos, "no base64 digit");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    out += static_cast<char>(bits >> n_bits & 0xFF);
  }
  return out;
}

}  // namespace mie::test
