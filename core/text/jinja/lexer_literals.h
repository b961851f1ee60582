// The literals inside of tags. Pure functions; any thread.
#pragma once

#include "core/text/jinja/token.h"

#include <optional>
#include <string>
#include <string_view>

namespace mie::jinja {

struct NumberLiteral {
  Token token;
  std::size_t n_bytes = 0;
};

// The number that `text` begins with. REQUIRES: it begins with a digit. Nothing if the number does not fit 64 bits.
// `after_dot`: a dot stands before it ("x.1.2"), so it is an index and has no fraction.
std::optional<NumberLiteral> read_number(std::string_view text, bool after_dot);

// Bytes of the quoted string that `text` begins with, quotes included; 0 if it does not end.
std::size_t quoted_length(std::string_view text);

// The characters that a string literal means, from what stands between its quotes. Nothing if an escape is broken.
std::optional<std::string> unescape(std::string_view inside);

}  // namespace mie::jinja
