// Base64 of the tokenizer goldens. A pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace mie::test {

// REQUIRES: padded base64 without line breaks; anything else is an InvariantError.
std::string from_base64(std::string_view text);

}  // namespace mie::test
