#include "server/json/response_write.h"

#include <array>
#include <charconv>
#include <cmath>

namespace mie::json {
namespace {

void append_unicode_escape(std::string& out, unsigned code) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(code >> shift) & 0xFU];
}

void append_control(std::string& out, unsigned char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default:
      append_unicode_escape(out, c);
  }
}

// Bytes of the multi-byte character at the head of `text` that must be escaped, or 0: C1 controls (U+0085 is one) and the
// two Unicode line ends. `code` gets its code point.
std::size_t escaped_character(std::string_view text, unsigned& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() >= 2 && byte(0) == 0xC2 && byte(1) < 0xA0) {
    code = byte(1);
    return 2;
  }
  if (text.size() >= 3 && byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9)) {
    code = 0x2000U | (byte(2) - 0x80U);
    return 3;
  }
  return 0;
}

template <class Number>
void append_shortest(std::string& out, Number value) {
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end.ptr);
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // start of the run that needs no escape
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    unsigned code = 0;
    std::size_t n = 0;
    if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F)
      n = 1;
    else if (c == 0xC2 || c == 0xE2)
      n = escaped_character(text.substr(i), code);
    if (n == 0) {
      ++i;
      continue;
    }
    out.append(text.substr(plain, i - plain));
    if (n > 1)
      append_unicode_escape(out, code);
    else if (c == '"' || c == '\\')
      (out += '\\') += static_cast<char>(c);
    else
      append_control(out, c);
    i += n;
    plain = i;
  }
  out.append(text.substr(plain));
  out += '"';
}

void JsonWriter::separate() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '{' && last != '[' && last != ':') text_ += ',';
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(text_, name);
  text_ += ':';
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  separate();
  append_quoted(text_, text);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  separate();
  append_shortest(text_, value);
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  append_shortest(text_, value);
  return *this;
}

JsonWriter& JsonWriter::real32(float value) {
  if (!std::isfinite(value)) return null();
  separate();
  append_shortest(text_, value);
  return *this;
}

JsonWriter& JsonWriter::fixed(double value, int n_decimals) {
  if (!std::isfinite(value)) return null();
  separate();
  std::array<char, 400> digits{};  // the longest double has 309 digits before the point
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, n_decimals);
  text_.append(digits.data(), end.ptr);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::member(std::string_view name, std::span<const std::string> texts) {
  key(name).begin_array();
  for (const std::string& text : texts) string(text);
  return end_array();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

}  // namespace mie::json
