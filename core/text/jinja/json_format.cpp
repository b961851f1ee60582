#include "core/text/jinja/json_format.h"

#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/unicode.h"

#include <cmath>

namespace mie::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(Runtime& runtime, const JsonStyle& style) : runtime_(runtime), style_(style) {}

  Result<void> write(const Value& value);
  MarkedString take() { return std::move(out_); }

 private:
  Result<void> write_list(const std::vector<Value>& items);
  Result<void> write_dict(const Dict& dict);
  Result<void> write_key(const Value& key);
  Result<void> write_string(const MarkedString& text);
  Result<void> begin_item(bool first);
  void end_container(bool empty, std::string_view bracket);
  void new_line();

  Runtime& runtime_;
  const JsonStyle& style_;
  MarkedString out_;
  std::size_t level_ = 0;
};

std::string unicode_escape(std::uint32_t unit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string escape = "\\u0000";
  for (std::size_t i = escape.size(); i > 2; --i, unit >>= 4) escape[i - 1] = kDigits[unit & 0xF];
  return escape;
}

std::string escaped(std::string_view character, bool ensure_ascii) {
  const char32_t c = code_point(character);
  switch (c) {
    case U'"':
      return "\\\"";
    case U'\\':
      return "\\\\";
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    case U'\f':
      return "\\f";
    case U'\b':
      return "\\b";
    default:
      break;
  }
  if (c < 0x20) return unicode_escape(c);
  if (!ensure_ascii || c < 0x7F) return std::string(character);
  if (c <= 0xFFFF) return unicode_escape(c);
  return unicode_escape(0xD7C0U + (c >> 10)) + unicode_escape(0xDC00U + (c & 0x3FFU));  // UTF-16 surrogates
}

std::string number_text(const Value& number) {
  if (number.is(Kind::kBoolean)) return number.as_boolean() ? "true" : "false";
  if (number.is(Kind::kInteger)) return std::to_string(number.as_integer());
  const double value = number.as_real();
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return repr_of_real(value);
}

Result<void> JsonWriter::write_string(const MarkedString& text) {
  MIE_CHECK(runtime_.text(text.size(), out_.size()));
  out_.append("\"");
  text.for_each_run([this](std::string_view run, Origin origin) {
    for (std::size_t at = 0; at < run.size();) {
      const std::size_t end = next_character(run, at);
      out_.append(escaped(run.substr(at, end - at), style_.ensure_ascii), origin);
      at = end;
    }
  });
  out_.append("\"");
  return {};
}

void JsonWriter::new_line() {
  out_.append("\n");
  for (std::size_t i = 0; i < level_; ++i) out_.append(*style_.indent);
}

Result<void> JsonWriter::begin_item(bool first) {
  MIE_CHECK(runtime_.text(style_.indent ? level_ * style_.indent->size() : 0, out_.size()));
  if (!first) out_.append(style_.item_separator);
  if (style_.indent) new_line();
  return {};
}

void JsonWriter::end_container(bool empty, std::string_view bracket) {
  --level_;
  if (style_.indent && !empty) new_line();
  out_.append(bracket);
}

Result<void> JsonWriter::write_list(const std::vector<Value>& items) {
  out_.append("[");
  ++level_;
  bool first = true;
  for (const Value& item : items) {
    MIE_CHECK(begin_item(first));
    first = false;
    MIE_CHECK(write(item));
  }
  end_container(first, "]");
  return {};
}

Result<void> JsonWriter::write_key(const Value& key) {
  if (key.is(Kind::kString)) return write_string(key.as_string());
  const std::string text = key.is(Kind::kNone) ? "null" : number_text(key);
  return write_string(MarkedString(text, Origin::kTemplate));
}

Result<void> JsonWriter::write_dict(const Dict& dict) {
  std::vector<Value> keys, values;
  for (const auto& [key, value] : dict.entries()) {
    keys.push_back(key);
    values.push_back(value);
  }
  if (style_.sort_keys) {
    MIE_TRY(values, sorted(runtime_, values, keys, /*descending=*/false));
    MIE_TRY(keys, sorted(runtime_, keys, keys, /*descending=*/false));
  }
  out_.append("{");
  ++level_;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    MIE_CHECK(begin_item(i == 0));
    MIE_CHECK(write_key(keys[i]));
    out_.append(style_.key_separator);
    MIE_CHECK(write(values[i]));
  }
  end_container(keys.empty(), "}");
  return {};
}

Result<void> JsonWriter::write(const Value& value) {
  MIE_CHECK(runtime_.step());
  switch (value.kind()) {
    case Kind::kNone:
      out_.append("null");
      return {};
    case Kind::kBoolean:
    case Kind::kInteger:
    case Kind::kReal:
      out_.append(number_text(value));
      return {};
    case Kind::kString:
      return write_string(value.as_string());
    case Kind::kList:
    case Kind::kTuple:
      return write_list(value.as_items());
    case Kind::kDict:
      return write_dict(value.as_dict());
    default:
      return failure("Object of type " + type_name(value) + " is not JSON serializable");
  }
}

}  // namespace

Result<MarkedString> to_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  JsonWriter writer(runtime, style);
  MIE_CHECK(writer.write(value));
  return writer.take();
}

}  // namespace mie::jinja
