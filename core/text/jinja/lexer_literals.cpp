#include "core/text/jinja/lexer_literals.h"

#include "core/text/jinja/number.h"
#include "core/text/jinja/unicode.h"

#include <algorithm>
#include <charconv>

namespace mie::jinja {
namespace {

bool is_digit_of(char c, int base) {
  if (c >= '0' && c <= '9') return c - '0' < base;
  const int letter = (c | 0x20) - 'a';
  return letter >= 0 && letter < base - 10;
}

// Bytes of (\d+_)*\d+ from `at`: digits with single underscores between them.
std::size_t digits_length(std::string_view text, std::size_t at, int base) {
  std::size_t end = at;
  while (end < text.size()) {
    if (is_digit_of(text[end], base))
      ++end;
    else if (text[end] == '_' && end > at && end + 1 < text.size() && is_digit_of(text[end + 1], base))
      ++end;
    else
      break;
  }
  return end - at;
}

// Bytes of the fraction and exponent behind the whole digits; 0 if there are none.
std::size_t fraction_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  if (end < text.size() && text[end] == '.')
    if (const std::size_t n = digits_length(text, end + 1, 10); n != 0) end += 1 + n;
  if (end < text.size() && (text[end] | 0x20) == 'e') {
    const std::size_t sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-') ? 1 : 0;
    if (const std::size_t n = digits_length(text, end + 1 + sign, 10); n != 0) end += 1 + sign + n;
  }
  return end - at;
}

// Bytes of an integer literal, and its base.
std::pair<std::size_t, int> integer_length(std::string_view text) {
  if (text[0] != '0') return {digits_length(text, 0, 10), 10};
  for (const auto& [letter, base] : {std::pair{'b', 2}, std::pair{'o', 8}, std::pair{'x', 16}})
    if (text.size() > 2 && (text[1] | 0x20) == letter) {
      const std::size_t from = text[2] == '_' ? 3 : 2;
      if (const std::size_t n = digits_length(text, from, base); n != 0) return {from + n, base};
    }
  return {digits_length(text, 0, 1), 10};  // zeros; a leading zero is no decimal
}

// Value of exactly n digits at `at`, or -1.
std::int64_t code_at(std::string_view text, std::size_t at, std::size_t n, int base) {
  if (at + n > text.size()) return -1;
  std::int64_t code = 0;
  const char* end = text.data() + at + n;
  const auto read = std::from_chars(text.data() + at, end, code, base);
  return read.ec == std::errc() && read.ptr == end ? code : -1;
}

// One escape at text[at], which is the backslash: appends what it means and moves `at` behind it.
bool append_escape(std::string_view text, std::size_t& at, std::string& out) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const char letter = text[at + 1];
  if (const std::size_t i = kLetters.find(letter); i != std::string_view::npos) {
    out += kMeanings[i];
    at += 2;
    return true;
  }
  if (letter == '\n') {
    at += 2;
    return true;
  }
  std::size_t begin = at + 2, n = 0;
  int base = 16;
  if (letter >= '0' && letter <= '7') {
    base = 8;
    begin = at + 1;
    while (n < 3 && begin + n < text.size() && is_digit_of(text[begin + n], 8)) ++n;
  } else {
    n = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  }
  if (n == 0) {  // not an escape: the backslash stands for itself
    if (letter == 'N') return false;
    out += '\\';
    ++at;
    return true;
  }
  const std::int64_t code = code_at(text, begin, n, base);
  if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  append_utf8(out, static_cast<char32_t>(code));
  at = begin + n;
  return true;
}

}  // namespace

std::optional<NumberLiteral> read_number(std::string_view text, bool after_dot) {
  NumberLiteral literal;
  const std::size_t whole = digits_length(text, 0, 10);
  const std::size_t fraction = after_dot ? 0 : fraction_length(text, whole);
  if (fraction != 0) {
    const auto value = parse_real(text.substr(0, whole + fraction));
    if (!value) return std::nullopt;
    literal.token.type = TokenType::kReal;
    literal.token.real = *value;
    literal.n_bytes = whole + fraction;
    return literal;
  }
  const auto [n_bytes, base] = integer_length(text);
  const auto value = parse_integer(text.substr(0, n_bytes), base);
  if (!value) return std::nullopt;
  literal.token.type = TokenType::kInteger;
  literal.token.integer = *value;
  literal.n_bytes = n_bytes;
  return literal;
}

std::size_t quoted_length(std::string_view text) {
  const char quote = text[0];
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == quote)
      return at + 1;
  }
  return 0;
}

std::optional<std::string> unescape(std::string_view inside) {
  std::string out;
  for (std::size_t at = 0; at < inside.size();) {
    if (inside[at] != '\\') {
      out += inside[at++];
    } else if (at + 1 == inside.size() || !append_escape(inside, at, out)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace mie::jinja
