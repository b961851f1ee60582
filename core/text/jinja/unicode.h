// Characters as Python sees them, over UTF-8: counting, stepping, classes, case. A character is a code point; in broken
// UTF-8 it is any byte with the continuation bytes that follow it, so no well-formed code point is ever split.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mie::jinja {

[[nodiscard]] std::size_t n_characters(std::string_view text);
// Byte where the character after the one at `at` begins. REQUIRES: at < text.size().
[[nodiscard]] std::size_t next_character(std::string_view text, std::size_t at);
// Byte where the character before `at` begins. REQUIRES: 0 < at <= text.size().
[[nodiscard]] std::size_t previous_character(std::string_view text, std::size_t at);
// Byte where character `index` begins; text.size() beyond the last.
[[nodiscard]] std::size_t byte_of_character(std::string_view text, std::size_t index);
// The code point of one character; U+FFFD if it is broken.
[[nodiscard]] char32_t code_point(std::string_view character);
void append_utf8(std::string& text, char32_t code_point);

[[nodiscard]] bool is_space(char32_t c);       // str.isspace
[[nodiscard]] bool is_line_break(char32_t c);  // str.splitlines
[[nodiscard]] bool is_printable(char32_t c);   // what repr() shows as it is
[[nodiscard]] bool is_alphabetic(char32_t c);  // str.isalpha
[[nodiscard]] bool is_digit(char32_t c);       // str.isdigit
[[nodiscard]] bool is_decimal(char32_t c);     // str.isdecimal
[[nodiscard]] bool is_numeric(char32_t c);     // str.isnumeric
[[nodiscard]] bool is_upper(char32_t c);
[[nodiscard]] bool is_lower(char32_t c);
[[nodiscard]] bool is_cased(char32_t c);

enum class CaseMap { kUpper, kLower, kTitle };
// Full Unicode mapping ("ß" to "SS"), no locale. kTitle maps the first character and leaves the rest.
[[nodiscard]] std::string map_case(std::string_view text, CaseMap map);

}  // namespace mie::jinja
