#include "bench/workload/document/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mie::bench {
namespace {

template <class T>
Value list_of(const std::vector<T>& values) {
  Value::List items;
  for (const T& value : values) items.push_back({value});
  return {std::move(items)};
}

}  // namespace

Fields::Fields(const Value::Table& from, std::string path, std::optional<Fault>& fault)
    : from_(&from), path_(std::move(path)), fault_(&fault) {}

std::string Fields::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

std::string Fields::item_path(std::string_view name, std::size_t index) const {
  return fmt::format("{}[{}]", path_of(name), index);
}

void Fields::put(std::string_view name, Value value) { to_->insert_or_assign(std::string(name), std::move(value)); }

const Value* Fields::take(std::string_view name) {
  asked_.emplace(name);
  if (failed()) return nullptr;
  const auto found = from_->find(name);
  return found == from_->end() ? nullptr : &found->second;
}

const Value::List* Fields::take_list(std::string_view name) {
  const Value* value = take(name);
  if (value == nullptr) return nullptr;
  const auto* list = value->as<Value::List>();
  if (list == nullptr) fail(path_of(name), "must be a list");
  return list;
}

const Value::Table* Fields::table_of(const Value& value, const std::string& path) {
  const auto* table = value.as<Value::Table>();
  if (table == nullptr) fail(path, "must be a table");
  return table;
}

void Fields::fail(std::string path, std::string text) {
  if (fault_ != nullptr && !fault_->has_value()) *fault_ = {std::move(path), std::move(text)};
}

void Fields::refuse(std::string_view name, std::string text) { fail(path_of(name), std::move(text)); }

void Fields::required(std::string_view name) {
  if (!writing() && !given(name)) refuse(name, "must be given");
}

void Fields::finish() {
  if (from_ == nullptr || others_ignored_) return;
  for (const auto& [key, value] : *from_) {
    if (!asked_.contains(key)) return refuse(key, "is not a key here");
  }
}

bool Fields::read(const Value& value, const std::string& path, std::int64_t& integer, IntegerRange range) {
  const auto* held = value.as<std::int64_t>();
  if (held != nullptr && *held >= range.min && *held <= range.max) {
    integer = *held;
    return true;
  }
  fail(path, fmt::format("must be an integer between {} and {}", range.min, range.max));
  return false;
}

bool Fields::read(const Value& value, const std::string& path, double& number, NumberRange range) {
  const auto* real = value.as<double>();
  const auto* whole = value.as<std::int64_t>();
  const double held = real != nullptr ? *real : whole != nullptr ? static_cast<double>(*whole) : range.min;
  if ((real != nullptr || whole != nullptr) && held >= range.min && held <= range.max) {
    number = held;
    return true;
  }
  fail(path, fmt::format("must be a number between {:g} and {:g}", range.min, range.max));
  return false;
}

bool Fields::read(const Value& value, const std::string& path, std::string& text) {
  if (const auto* held = value.as<std::string>()) {
    text = *held;
    return true;
  }
  fail(path, "must be a string");
  return false;
}

bool Fields::read(const Value& value, const std::string& path, std::vector<std::int64_t>& list) {
  const auto* held = value.as<Value::List>();
  if (held == nullptr || held->empty()) {
    fail(path, "must be a list that is not empty");
    return false;
  }
  for (const Value& item : *held) {
    if (!read(item, fmt::format("{}[{}]", path, list.size()), list.emplace_back(), IntegerRange{})) return false;
  }
  return true;
}

void Fields::field(std::string_view name, bool& value) {
  if (writing()) return put(name, {value});
  const Value* found = take(name);
  if (found == nullptr) return;
  const auto* held = found->as<bool>();
  if (held == nullptr) return fail(path_of(name), "must be true or false");
  value = *held;
}

void Fields::field(std::string_view name, int& value, IntegerRange range) {
  std::int64_t wide = value;
  field(name, wide, range);
  value = static_cast<int>(wide);
}

void Fields::field(std::string_view name, std::int64_t& value, IntegerRange range) {
  if (writing()) return put(name, {value});
  if (const Value* found = take(name)) read(*found, path_of(name), value, range);
}

void Fields::field(std::string_view name, double& value, NumberRange range) {
  if (writing()) return put(name, {value});
  if (const Value* found = take(name)) read(*found, path_of(name), value, range);
}

void Fields::field(std::string_view name, std::string& value) {
  if (writing()) return put(name, {value});
  if (const Value* found = take(name)) read(*found, path_of(name), value);
}

void Fields::field(std::string_view name, std::vector<double>& values, NumberRange range) {
  if (writing()) return put(name, list_of(values));
  read_items(name, values, range);
}

void Fields::field(std::string_view name, std::vector<std::int64_t>& values, IntegerRange range) {
  if (writing()) return put(name, list_of(values));
  read_items(name, values, range);
}

void Fields::field(std::string_view name, std::vector<std::vector<std::int64_t>>& values) {
  if (writing()) {
    Value::List lists;
    for (const auto& list : values) lists.push_back(list_of(list));
    return put(name, {std::move(lists)});
  }
  read_items(name, values);
}

void Fields::field(std::string_view name, std::vector<std::string>& values) {
  if (writing()) return put(name, list_of(values));
  read_items(name, values);
}

void Fields::field(std::string_view name, std::map<std::string, std::string>& values) {
  if (writing()) {
    Value::Table members;
    for (const auto& [key, text] : values) members.emplace(key, Value{text});
    return put(name, {std::move(members)});
  }
  const Value* found = take(name);
  const Value::Table* members = found == nullptr ? nullptr : table_of(*found, path_of(name));
  if (members == nullptr) return;
  for (const auto& [key, value] : *members) {
    if (!read(value, fmt::format("{}.{}", path_of(name), key), values[key])) return;
  }
}

void Fields::field(std::string_view name, Value::Table& values) {
  if (writing()) return put(name, {values});
  const Value* found = take(name);
  const Value::Table* members = found == nullptr ? nullptr : table_of(*found, path_of(name));
  if (members != nullptr) values = *members;
}

std::size_t Fields::chosen(std::string_view name, std::size_t value, std::span<const std::string_view> names) {
  if (writing()) {
    put(name, {std::string(names[value])});
    return value;
  }
  const Value* found = take(name);
  if (found == nullptr) return value;
  const auto* held = found->as<std::string>();
  const auto at = held == nullptr ? names.end() : std::find(names.begin(), names.end(), *held);
  if (at == names.end()) {
    fail(path_of(name), fmt::format("must be one of {}", fmt::join(names, ", ")));
    return value;
  }
  return static_cast<std::size_t>(at - names.begin());
}

}  // namespace mie::bench
