#include "server/json/field_reader.h"

#include "server/json/response_write.h"

#include <algorithm>

namespace mie::json {
namespace {

namespace dom = simdjson::dom;
using Type = dom::element_type;

constexpr std::size_t kMaxShown = 64;

std::string range_text(IntegerRange range) {
  constexpr auto kOpen = std::numeric_limits<std::int64_t>::max();
  if (range.min == std::numeric_limits<std::int64_t>::min()) return "at most " + std::to_string(range.max);
  if (range.max == kOpen) return "at least " + std::to_string(range.min);
  return "between " + std::to_string(range.min) + " and " + std::to_string(range.max);
}

}  // namespace

std::string shown(std::string_view text) {
  std::string cut = "\"";
  for (const char c : text.substr(0, kMaxShown)) {
    const bool plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
    cut += plain ? c : '?';
  }
  return cut + (text.size() > kMaxShown ? "...\"" : "\"");
}

std::string shown(std::int64_t value) { return std::to_string(value); }

std::string shown(const dom::element& value) {
  switch (value.type()) {
    case Type::STRING:
      return shown(std::string_view(value));
    case Type::ARRAY:
      return "a list";
    case Type::OBJECT:
      return "an object";
    case Type::NULL_VALUE:
      return "null";
    case Type::BOOL:
      return bool(value) ? "true" : "false";
    default:
      break;
  }
  JsonWriter number;
  if (value.type() == Type::DOUBLE)
    number.number(double(value));
  else if (value.type() == Type::UINT64)
    return std::to_string(std::uint64_t(value));
  else
    number.integer(std::int64_t(value));
  return number.take();
}

FieldReader::FieldReader(const RequestDocument& document, dom::object object, std::string path)
    : document_(document), path_(std::move(path)) {
  for (const auto field : object) fields_.emplace_back(field.key, field.value);
  std::sort(fields_.begin(), fields_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::optional<dom::element> FieldReader::find(std::string_view name) const {
  const auto at = std::lower_bound(fields_.begin(), fields_.end(), name, [](const auto& f, auto n) { return f.first < n; });
  if (at == fields_.end() || at->first != name || at->second.is_null()) return {};
  return at->second;
}

void FieldReader::fail(Error error) {
  if (!fault_) fault_ = std::move(error);
}

void FieldReader::replace_fault(Error error) { fault_ = std::move(error); }

void FieldReader::wrong_type(const std::string& path, std::string_view expected) {
  fail({Errc::kInvalidType, path + " must be " + std::string(expected), path});
}

void FieldReader::wrong_value(const std::string& path, std::string_view range, std::string_view got) {
  fail({Errc::kInvalidValue, path + " must be " + std::string(range) + ", got " + std::string(got), path});
}

void FieldReader::missing(std::string_view name) {
  const std::string path = path_of(name);
  fail({Errc::kMissingParameter, path + " is required", path});
}

std::optional<bool> FieldReader::boolean(std::string_view name) {
  const auto value = find(name);
  if (failed() || !value) return {};
  bool out = false;
  if (value->get(out) != simdjson::SUCCESS) return wrong_type(path_of(name), "a boolean"), std::nullopt;
  return out;
}

std::optional<std::int64_t> FieldReader::integer(std::string_view name, IntegerRange range) {
  const auto value = find(name);
  if (failed() || !value) return {};
  return integer_at(*value, path_of(name), range);
}

std::int64_t FieldReader::required_integer(std::string_view name, IntegerRange range) {
  const auto value = integer(name, range);
  if (!value && !failed()) missing(name);
  return value.value_or(0);
}

std::optional<std::int64_t> FieldReader::integer_at(const Element& item, const std::string& path, IntegerRange range) {
  if (failed()) return {};
  const bool oversized = item.type() == Type::UINT64 || (item.type() == Type::DOUBLE && document_.is_oversized_integer(path));
  if (!oversized && item.type() != Type::INT64) return wrong_type(path, "an integer"), std::nullopt;
  if (oversized) return wrong_value(path, range_text(range), shown(item)), std::nullopt;
  const auto value = std::int64_t(item);
  if (value < range.min || value > range.max) return wrong_value(path, range_text(range), shown(item)), std::nullopt;
  return value;
}

std::optional<double> FieldReader::number(std::string_view name) {
  const auto value = find(name);
  if (failed() || !value) return {};
  return number_at(*value, path_of(name));
}

std::optional<double> FieldReader::number_at(const Element& item, const std::string& path) {
  if (failed()) return {};
  if (!item.is_number()) return wrong_type(path, "a number"), std::nullopt;
  return double(item);
}

std::optional<std::string> FieldReader::string(std::string_view name) {
  const auto value = find(name);
  if (failed() || !value) return {};
  return string_at(*value, path_of(name));
}

std::optional<std::string> FieldReader::string_at(const Element& item, const std::string& path) {
  if (failed()) return {};
  std::string_view out;
  if (item.get(out) != simdjson::SUCCESS) return wrong_type(path, "a string"), std::nullopt;
  return std::string(out);
}

std::optional<dom::array> FieldReader::list(std::string_view name) {
  const auto value = find(name);
  if (failed() || !value) return {};
  dom::array out;
  if (value->get(out) != simdjson::SUCCESS) return wrong_type(path_of(name), "a list"), std::nullopt;
  return out;
}

std::optional<dom::object> FieldReader::object(std::string_view name) {
  const auto value = find(name);
  if (failed() || !value) return {};
  dom::object out;
  if (value->get(out) != simdjson::SUCCESS) return wrong_type(path_of(name), "an object"), std::nullopt;
  return out;
}

}  // namespace mie::json
