// Append-only writer of one JSON text. Strings come out on one line whatever they hold (controls, U+0085, U+2028 and
// U+2029 are escaped), so that a text is a valid server-sent event; numbers do not depend on a locale.
// Value, used by one coroutine. REQUIRES: strings are valid UTF-8; calls follow the JSON grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mie::json {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);  // the value follows

  JsonWriter& string(std::string_view text);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& number(double value);  // shortest text that reads back as the same double; not finite: null
  JsonWriter& real32(float value);   // the same for a float, so that -0.3f is written -0.3
  JsonWriter& fixed(double value, int n_decimals);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // a value that is JSON already

  // "name": value, in one call.
  JsonWriter& member(std::string_view name, std::string_view text) { return key(name).string(text); }
  JsonWriter& member(std::string_view name, const char* text) { return key(name).string(text); }
  JsonWriter& member(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  JsonWriter& member(std::string_view name, int value) { return key(name).integer(value); }
  JsonWriter& member(std::string_view name, bool value) { return key(name).boolean(value); }
  // null where there is none; of a text, where it is empty.
  JsonWriter& member_or_null(std::string_view name, std::optional<double> value) {
    return value ? key(name).number(*value) : null_member(name);
  }
  JsonWriter& member_or_null(std::string_view name, std::optional<std::int64_t> value) {
    return value ? key(name).integer(*value) : null_member(name);
  }
  JsonWriter& member_or_null(std::string_view name, std::string_view text) {
    return text.empty() ? null_member(name) : member(name, text);
  }
  JsonWriter& member(std::string_view name, std::span<const std::string> texts);  // an array
  JsonWriter& null_member(std::string_view name) { return key(name).null(); }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();  // the comma before a value or key that is not the first

  std::string text_;
};

// Appends `text` in quotes, escaped as above.
void append_quoted(std::string& out, std::string_view text);

}  // namespace mie::json
