// Template source to tokens, as jinja2's lexer with trim_blocks and lstrip_blocks: the newline after a block tag and the
// indentation before one are not text, "-" strips all white space on its side, "+" keeps it. Any thread.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/token.h"

#include <string_view>
#include <vector>

namespace mie::jinja {

// The last token is kEnd. Errors: kModelFormat with the line.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace mie::jinja
