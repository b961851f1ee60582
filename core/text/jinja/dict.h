// A mapping in insertion order, as Python's. Keys are scalars (str, int, float, bool, None): what JSON and templates use.
// A value; const access from any thread. Look-up by text is a scan up to a few entries, hashed beyond.
#pragma once

#include "core/text/jinja/value.h"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mie::jinja {

class Dict {
 public:
  using Entry = std::pair<Value, Value>;

  [[nodiscard]] static bool can_be_key(const Value& value);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] int depth() const { return depth_; }

  // Null where there is none.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] const Value* find(const Value& key) const;

  // An equal key keeps its place and gets the new value. REQUIRES: can_be_key(key).
  void set(Value key, Value value);

 private:
  [[nodiscard]] std::size_t position(std::string_view key) const;  // size() where there is none
  [[nodiscard]] std::size_t position(const Value& key) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> by_text_;  // views of the keys' shared strings; empty while small
  int depth_ = 1;
};

// Python's == of two scalars: numbers by value over all number kinds, strings by bytes.
bool equal_scalars(const Value& a, const Value& b);

}  // namespace mie::jinja
