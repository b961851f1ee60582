#include "server/json/json_lines.h"

#include <cstdint>
#include <string>
#include <utility>

namespace mie::json {

std::optional<Error> read_json_lines(
    std::istream& in, std::string_view flag,
    const std::function<std::optional<Error>(const RequestDocument&, FieldReader&, bool first)>& read) {
  const auto fault_of = [&](std::string text, bool first) -> std::optional<Error> {
    const auto document = RequestDocument::parse(std::move(text));
    if (document.has_error()) return document.error();
    FieldReader fields(*document, document->root());
    auto error = read(*document, fields, first);
    if (!error && fields.failed()) error = fields.fault();
    return error;
  };
  std::int64_t n = 0;
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // cut short
    if (const auto error = fault_of(std::move(line), n++ == 0))
      return Error{Errc::kConfig, "line " + std::to_string(n) + ": " + error->message, ""};
  }
  if (n == 0) return Error{Errc::kConfig, "not a file of " + std::string(flag), ""};
  return {};
}

}  // namespace mie::json
