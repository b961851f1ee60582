// What goes wrong inside a template, as errors. Any thread.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace mie::jinja {

inline constexpr std::size_t kMostMessageCharacters = 1024;
inline constexpr std::size_t kMostQuotedCharacters = 64;

// kTemplateError; the message, in Python's words where Python has some, is cut at kMostMessageCharacters.
Error failure(std::string message);
// kTemplateLimit.
Error limit_exceeded(std::string message);
// kModelFormat: the template itself cannot be understood. `line` counts from 1.
Error syntax_error(int line, const std::string& reason);

// Python's repr() of a piece of text for use in a message: escaped, cut at kMostQuotedCharacters.
std::string quoted(std::string_view text);

}  // namespace mie::jinja
