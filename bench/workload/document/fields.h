// The keys of one table, read or written by the same list: a struct of a spec says once, in `describe`, which keys it has, of
// which types and in which ranges. Reading keeps the first fault and leaves a member as it was (its default) where the key is
// absent; writing gives every key, so that defaults are filled in. Used by one call of read_fields or write_fields; not
// thread-safe.
#pragma once

#include "bench/workload/document/value.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int32_t>::max();
};

// Up to 1e15, so that a number is written as one that reads back alike.
struct NumberRange {
  double min = -1e15;
  double max = 1e15;
};
inline constexpr NumberRange kPositive{1e-9, 1e15};
inline constexpr NumberRange kNatural{0, 1e15};
inline constexpr NumberRange kShare{0, 1};

class Fields;

template <class T>
concept Described = requires(T table, Fields& fields) { table.describe(fields); };

class Fields {
 public:
  struct Fault {
    std::string path;
    std::string text;
  };

  Fields(const Value::Table& from, std::string path, std::optional<Fault>& fault);
  explicit Fields(Value::Table& to) : to_(&to) {}

  [[nodiscard]] bool writing() const { return to_ != nullptr; }
  [[nodiscard]] bool failed() const { return fault_ != nullptr && fault_->has_value(); }
  [[nodiscard]] bool given(std::string_view name) const { return from_ != nullptr && from_->contains(name); }

  void field(std::string_view name, bool& value);
  void field(std::string_view name, int& value, IntegerRange range = {});
  void field(std::string_view name, std::int64_t& value, IntegerRange range = {});
  void field(std::string_view name, double& value, NumberRange range = {});
  void field(std::string_view name, std::string& value);
  void field(std::string_view name, std::vector<double>& values, NumberRange range = {});
  void field(std::string_view name, std::vector<std::int64_t>& values, IntegerRange range = {});
  void field(std::string_view name, std::vector<std::vector<std::int64_t>>& values);
  void field(std::string_view name, std::vector<std::string>& values);
  void field(std::string_view name, std::map<std::string, std::string>& values);
  void field(std::string_view name, Value::Table& values);  // any keys

  template <Described T>
  void field(std::string_view name, T& table) {
    if (writing()) {
      put(name, written(table));
    } else if (const Value* value = take(name)) {
      read(*value, path_of(name), table);
    }
  }

  template <Described T>
  void field(std::string_view name, std::vector<T>& tables) {
    if (writing()) {
      Value::List items;
      for (T& table : tables) items.push_back(written(table));
      return put(name, {std::move(items)});
    }
    const Value::List* items = take_list(name);
    if (items == nullptr) return;
    tables.clear();
    for (const Value& item : *items) read(item, item_path(name, tables.size()), tables.emplace_back());
  }

  // Absent: the key is neither needed nor written.
  template <class T, class... Range>
  void field(std::string_view name, std::optional<T>& value, Range... range) {
    if (writing() ? !value.has_value() : !given(name)) return;
    if (!value) value.emplace();
    field(name, *value, range...);
  }

  // An enumeration whose values are 0, 1, … in the order of the names.
  template <class Enum>
  void choice(std::string_view name, Enum& value, std::span<const std::string_view> names) {
    value = static_cast<Enum>(chosen(name, static_cast<std::size_t>(value), names));
  }

  void required(std::string_view name);
  void refuse(std::string_view name, std::string text);  // "{path} {text}"; reading keeps the first, writing ignores it
  void ignore_others() { others_ignored_ = true; }       // of a format that is not ours
  void finish();                                         // a key that nobody asked for is a fault

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const;
  [[nodiscard]] std::string item_path(std::string_view name, std::size_t index) const;
  void put(std::string_view name, Value value);
  const Value* take(std::string_view name);  // null: absent, or after a fault
  const Value::List* take_list(std::string_view name);
  const Value::Table* table_of(const Value& value, const std::string& path);
  void fail(std::string path, std::string text);
  std::size_t chosen(std::string_view name, std::size_t value, std::span<const std::string_view> names);

  bool read(const Value& value, const std::string& path, std::int64_t& integer, IntegerRange range);
  bool read(const Value& value, const std::string& path, double& number, NumberRange range);
  bool read(const Value& value, const std::string& path, std::string& text);
  bool read(const Value& value, const std::string& path, std::vector<std::int64_t>& list);

  template <class T, class... Range>
  void read_items(std::string_view name, std::vector<T>& values, Range... range) {
    const Value::List* items = take_list(name);
    if (items == nullptr) return;
    values.clear();
    for (const Value& item : *items) {
      if (!read(item, item_path(name, values.size()), values.emplace_back(), range...)) return;
    }
  }

  template <Described T>
  void read(const Value& value, const std::string& path, T& table) {
    const Value::Table* members = table_of(value, path);
    if (members == nullptr) return;
    Fields own(*members, path, *fault_);
    table.describe(own);
    own.finish();
  }

  template <Described T>
  static Value written(T& table) {
    Value::Table members;
    Fields own(members);
    table.describe(own);
    return {std::move(members)};
  }

  const Value::Table* from_ = nullptr;
  Value::Table* to_ = nullptr;
  std::string path_;
  std::optional<Fault>* fault_ = nullptr;
  std::set<std::string, std::less<>> asked_;
  bool others_ignored_ = false;
};

// All keys of a document into `table`. Errors: kConfig with file, line and path of the first fault.
template <Described T>
[[nodiscard]] std::optional<Error> read_fields(const Document& document, T& table) {
  std::optional<Fields::Fault> fault;
  Fields fields(*document.root.as<Value::Table>(), "", fault);
  table.describe(fields);
  fields.finish();
  return fault ? std::optional(fault_at(document, fault->path, fault->text)) : std::nullopt;
}

template <Described T>
[[nodiscard]] Value write_fields(T table) {
  Value::Table members;
  Fields fields(members);
  table.describe(fields);
  return {std::move(members)};
}

}  // namespace mie::bench
