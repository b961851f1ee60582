// One step of reading UTF-8 that may be broken or cut, by Unicode's rules (chapter 3, tables 3-7 and 3-8): a well-formed
// code point, or a maximal subpart of one. A pure function; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace mie {

enum class Utf8Kind {
  kWhole,    // a well-formed code point
  kBroken,   // a maximal subpart that what follows does not complete; stands for one U+FFFD
  kPartial,  // everything that is left: the beginning of a well-formed code point
};

struct Utf8Step {
  Utf8Kind kind;
  std::size_t n_bytes;  // 1 … 4, of the text's beginning
};

// REQUIRES: text is not empty.
// E.g. "\xE2\x82\xAC" is {kWhole, 3}; "\xE2\x82" is {kPartial, 2}; "\xE2\x82z" is {kBroken, 2}; "\xC0\x80" is {kBroken, 1}.
Utf8Step next_utf8(std::string_view text);

}  // namespace mie
