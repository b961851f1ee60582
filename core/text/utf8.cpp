#include "core/text/utf8.h"

#include "core/base/ensure.h"

namespace mie {
namespace {

// What a lead byte announces: the length of the sequence and the range of its second byte (table 3-7). Later bytes are
// always 80..BF. A length of 0 means that no sequence begins with this byte.
struct Lead {
  std::size_t length;
  unsigned char second_min, second_max;
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};  // continuation bytes, and overlong forms of ASCII
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};  // below: overlong
  if (byte == 0xED) return {3, 0x80, 0x9F};  // above: surrogates
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};  // below: overlong
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};  // above: past U+10FFFF
  return {0, 0, 0};
}

}  // namespace

Utf8Step next_utf8(std::string_view text) {
  ENSURE(!text.empty(), "next_utf8 of an empty text");
  const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.length == 0) return {Utf8Kind::kBroken, 1};
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {Utf8Kind::kPartial, i};
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned char low = i == 1 ? lead.second_min : 0x80;
    const unsigned char high = i == 1 ? lead.second_max : 0xBF;
    if (byte < low || byte > high) return {Utf8Kind::kBroken, i};
  }
  return {Utf8Kind::kWhole, lead.length};
}

}  // namespace mie
