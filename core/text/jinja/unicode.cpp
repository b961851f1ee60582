#include "core/text/jinja/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringoptions.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace mie::jinja {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }
UChar32 icu(char32_t c) { return static_cast<UChar32>(c); }
bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string map_ascii_case(std::string_view text, CaseMap map) {
  std::string result(text);
  if (map == CaseMap::kTitle)
    result.front() = ascii_upper(result.front());
  else
    std::transform(result.begin(), result.end(), result.begin(), map == CaseMap::kUpper ? ascii_upper : ascii_lower);
  return result;
}

}  // namespace

std::size_t n_characters(std::string_view text) {
  if (text.empty()) return 0;
  const auto n_starts = std::count_if(text.begin() + 1, text.end(), [](char byte) { return !is_continuation(byte); });
  return static_cast<std::size_t>(n_starts) + 1;
}

std::size_t next_character(std::string_view text, std::size_t at) {
  do ++at;
  while (at < text.size() && is_continuation(text[at]));
  return at;
}

std::size_t previous_character(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && is_continuation(text[at]));
  return at;
}

std::size_t byte_of_character(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at = next_character(text, at);
  return at;
}

char32_t code_point(std::string_view character) {
  UChar32 c = 0;
  std::size_t at = 0;
  const std::size_t size = character.size();
  U8_NEXT(character.data(), at, size, c);
  return c < 0 ? U'\uFFFD' : static_cast<char32_t>(c);
}

void append_utf8(std::string& text, char32_t c) {
  char bytes[U8_MAX_LENGTH];
  std::size_t n = 0;
  U8_APPEND_UNSAFE(bytes, n, c);
  text.append(bytes, n);
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_break(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_printable(char32_t c) {
  constexpr std::uint32_t kHidden = U_GC_C_MASK | U_GC_Z_MASK;
  if (c < 0x7F) return c >= U' ';
  return (U_MASK(u_charType(icu(c))) & kHidden) == 0;
}

bool is_alphabetic(char32_t c) { return u_isalpha(icu(c)) != 0; }

bool is_decimal(char32_t c) { return u_getIntPropertyValue(icu(c), UCHAR_NUMERIC_TYPE) == U_NT_DECIMAL; }

bool is_digit(char32_t c) { return is_decimal(c) || u_getIntPropertyValue(icu(c), UCHAR_NUMERIC_TYPE) == U_NT_DIGIT; }

bool is_numeric(char32_t c) { return u_getIntPropertyValue(icu(c), UCHAR_NUMERIC_TYPE) != U_NT_NONE; }
bool is_upper(char32_t c) { return u_hasBinaryProperty(icu(c), UCHAR_UPPERCASE) != 0; }
bool is_lower(char32_t c) { return u_hasBinaryProperty(icu(c), UCHAR_LOWERCASE) != 0; }
bool is_cased(char32_t c) { return is_upper(c) || is_lower(c) || u_charType(icu(c)) == U_TITLECASE_LETTER; }

std::string map_case(std::string_view text, CaseMap map) {
  if (text.empty()) return {};
  if (is_ascii(text)) return map_ascii_case(text, map);
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  const icu::StringPiece piece(text.data(), static_cast<std::int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  if (map == CaseMap::kUpper) {
    icu::CaseMap::utf8ToUpper("", 0, piece, sink, nullptr, status);
  } else if (map == CaseMap::kLower) {
    icu::CaseMap::utf8ToLower("", 0, piece, sink, nullptr, status);
  } else {
    constexpr std::uint32_t kOptions = U_TITLECASE_WHOLE_STRING | U_TITLECASE_NO_LOWERCASE | U_TITLECASE_NO_BREAK_ADJUSTMENT;
    icu::CaseMap::utf8ToTitle("", kOptions, nullptr, piece, sink, nullptr, status);
  }
  return U_SUCCESS(status) ? result : std::string(text);
}

}  // namespace mie::jinja
