#include "core/text/jinja/brace_format.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <string>

namespace mie::jinja {
namespace {

// Which argument a field means. `n_automatic` counts the fields that were empty so far.
Result<Value> argument(std::string_view field, const Arguments& arguments, std::size_t& n_automatic) {
  const bool numbered = field.empty() || std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (numbered) {
    const auto given = field.empty() ? static_cast<std::int64_t>(n_automatic++) : parse_integer(field, 10).value_or(-1);
    if (given < 0 || static_cast<std::size_t>(given) >= arguments.positional.size()) return failure("tuple index out of range");
    return arguments.positional[static_cast<std::size_t>(given)];
  }
  for (const auto& [name, value] : arguments.named)
    if (name.text() == field) return value;
  return failure(quoted(field));
}

Result<MarkedString> convert(Runtime& runtime, std::string_view field, const Arguments& arguments, std::size_t& n_automatic) {
  bool as_repr = false;
  if (field.ends_with("!r") || field.ends_with("!s")) {
    as_repr = field.back() == 'r';
    field.remove_suffix(2);
  }
  if (field.find_first_of(":.[!{") != std::string_view::npos)
    return failure("str.format() supports plain fields only, not " + quoted(field));
  MIE_TRY(const Value value, argument(field, arguments, n_automatic));
  return as_repr ? repr(runtime, value) : to_text(runtime, value);
}

}  // namespace

Result<MarkedString> brace_format(Runtime& runtime, const MarkedString& format, const Arguments& arguments) {
  const std::string& text = format.text();
  MarkedString out;
  std::size_t n_automatic = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
    MIE_CHECK(runtime.text(brace - at, out.size()));
    out.append(format, at, brace);
    if (brace == text.size()) break;
    if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {  // "{{" is one brace
      out.append(format, brace, brace + 1);
      at = brace + 2;
      continue;
    }
    if (text[brace] == '}') return failure("Single '}' encountered in format string");
    const std::size_t end = text.find('}', brace);
    if (end == std::string::npos) return failure("expected '}' before end of string");
    const std::string_view field = std::string_view(text).substr(brace + 1, end - brace - 1);
    MIE_TRY(const MarkedString shown, convert(runtime, field, arguments, n_automatic));
    MIE_CHECK(runtime.text(shown.size(), out.size()));
    out.append(shown);
    at = end + 1;
  }
  return out;
}

}  // namespace mie::jinja
