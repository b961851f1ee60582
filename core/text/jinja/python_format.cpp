#include "core/text/jinja/python_format.h"

#include "core/text/jinja/dict.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/unicode.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace mie::jinja {
namespace {

std::string hex(char32_t c, std::size_t n_digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits(n_digits, '0');
  for (std::size_t i = n_digits; i > 0; --i, c >>= 4) digits[i - 1] = kDigits[c & 0xF];
  return digits;
}

// How one character stands inside repr()'s quotes.
std::string escaped(std::string_view character, char quote) {
  const char32_t c = code_point(character);
  switch (c) {
    case U'\\':
      return "\\\\";
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      break;
  }
  if (character.size() == 1 && character.front() == quote) return std::string("\\") + quote;
  if (is_printable(c)) return std::string(character);
  if (c <= 0xFF) return "\\x" + hex(c, 2);
  return c <= 0xFFFF ? "\\u" + hex(c, 4) : "\\U" + hex(c, 8);
}

MarkedString repr_of_string(const MarkedString& text) {
  const std::string& bytes = text.text();
  const bool has_single = bytes.find('\'') != std::string::npos;
  const char quote = has_single && bytes.find('"') == std::string::npos ? '"' : '\'';
  const std::string_view quotes(&quote, 1);
  MarkedString shown;
  shown.reserve(text.size() + 2);
  shown.append(quotes);
  text.for_each_run([&](std::string_view run, Origin origin) {
    for (std::size_t at = 0; at < run.size();) {
      const std::size_t end = next_character(run, at);
      shown.append(escaped(run.substr(at, end - at), quote), origin);
      at = end;
    }
  });
  shown.append(quotes);
  return shown;
}

Result<void> append_repr(Runtime& runtime, const Value& value, MarkedString& to);

Result<void> append_items(Runtime& runtime, const std::vector<Value>& items, MarkedString& to) {
  bool first = true;
  for (const Value& item : items) {
    if (!first) to.append(", ");
    first = false;
    MIE_CHECK(append_repr(runtime, item, to));
  }
  return {};
}

Result<void> append_dict(Runtime& runtime, const Dict& dict, MarkedString& to) {
  to.append("{");
  bool first = true;
  for (const auto& [key, value] : dict.entries()) {
    if (!first) to.append(", ");
    first = false;
    MIE_CHECK(append_repr(runtime, key, to));
    to.append(": ");
    MIE_CHECK(append_repr(runtime, value, to));
  }
  to.append("}");
  return {};
}

Result<void> append_repr(Runtime& runtime, const Value& value, MarkedString& to) {
  MIE_CHECK(runtime.step());
  switch (value.kind()) {
    case Kind::kUndefined:
      to.append("Undefined");
      return {};
    case Kind::kNone:
      to.append("None");
      return {};
    case Kind::kBoolean:
      to.append(value.as_boolean() ? "True" : "False");
      return {};
    case Kind::kInteger:
      to.append(std::to_string(value.as_integer()));
      return {};
    case Kind::kReal:
      to.append(repr_of_real(value.as_real()));
      return {};
    case Kind::kString:
      MIE_CHECK(runtime.text(value.as_string().size(), to.size()));
      to.append(repr_of_string(value.as_string()));
      return {};
    case Kind::kList:
      to.append("[");
      MIE_CHECK(append_items(runtime, value.as_items(), to));
      to.append("]");
      return {};
    case Kind::kTuple:
      to.append("(");
      MIE_CHECK(append_items(runtime, value.as_items(), to));
      to.append(value.as_items().size() == 1 ? ",)" : ")");
      return {};
    case Kind::kDict:
      return append_dict(runtime, value.as_dict(), to);
    case Kind::kObject:
      break;
  }
  MIE_TRY(const MarkedString shown, value.as_object().repr(runtime));
  to.append(shown);
  return {};
}

}  // namespace

Result<MarkedString> to_text(Runtime& runtime, const Value& value) {
  if (value.is(Kind::kString)) return value.as_string();
  if (value.is(Kind::kUndefined)) return MarkedString();
  return repr(runtime, value);
}

Result<MarkedString> repr(Runtime& runtime, const Value& value) {
  MarkedString shown;
  MIE_CHECK(append_repr(runtime, value, shown));
  return shown;
}

std::string repr_of_text(std::string_view text) {
  return repr_of_string(MarkedString(std::string(text), Origin::kTemplate)).text();
}

std::string repr_of_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 40> scientific{};
  const auto written =
      std::to_chars(scientific.data(), scientific.data() + scientific.size(), value, std::chars_format::scientific);
  const std::string_view all(scientific.data(), static_cast<std::size_t>(written.ptr - scientific.data()));
  const int exponent = std::atoi(std::string(all.substr(all.find('e') + 1)).c_str());
  if (exponent < -4 || exponent >= 16) return std::string(all);
  std::array<char, 64> fixed{};
  const auto plain = std::to_chars(fixed.data(), fixed.data() + fixed.size(), value, std::chars_format::fixed);
  std::string digits(fixed.data(), static_cast<std::size_t>(plain.ptr - fixed.data()));
  return digits.find('.') == std::string::npos ? digits + ".0" : digits;
}

}  // namespace mie::jinja
