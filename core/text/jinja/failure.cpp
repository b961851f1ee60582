#include "core/text/jinja/failure.h"

#include "core/text/jinja/python_format.h"
#include "core/text/jinja/unicode.h"

namespace mie::jinja {

Error failure(std::string message) {
  const std::size_t end = byte_of_character(message, kMostMessageCharacters);
  message.resize(end);
  return Error{Errc::kTemplateError, std::move(message)};
}

Error limit_exceeded(std::string message) { return Error{Errc::kTemplateLimit, std::move(message)}; }

Error syntax_error(int line, const std::string& reason) {
  return Error{Errc::kModelFormat, "chat template, line " + std::to_string(line) + ": " + reason};
}

std::string quoted(std::string_view text) {
  return repr_of_text(text.substr(0, byte_of_character(text, kMostQuotedCharacters)));
}

}  // namespace mie::jinja
