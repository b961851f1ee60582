// The key-value part of a GGUF file, read by type. Every getter says in one line which key is absent or of another type.
// Owned by GgufFile; strings are views into its bytes and live as long as it does. Immutable after loading; any thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie {

class ByteReader;

// Value types as numbered in the file.
enum class GgufType : std::uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

class GgufMetadata {
 public:
  // Reads n_entries pairs. Leaves the reader behind the last one. `file_name` opens every message.
  static Result<GgufMetadata> read(ByteReader& reader, std::uint64_t n_entries, std::string file_name);

  [[nodiscard]] bool contains(std::string_view key) const { return entries_.contains(key); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  // Key and value of each entry whose key begins so, as they lie in the file, in the order of the keys.
  [[nodiscard]] std::vector<std::pair<std::string_view, std::span<const std::byte>>> raw_entries(std::string_view prefix) const;

  // kModelFormat when the key is absent, has another type or does not fit.
  [[nodiscard]] Result<std::string_view> string(std::string_view key) const;
  [[nodiscard]] Result<std::int64_t> integer(std::string_view key) const;  // any integer type
  [[nodiscard]] Result<double> real(std::string_view key) const;           // float32 and float64
  [[nodiscard]] Result<bool> boolean(std::string_view key) const;
  [[nodiscard]] Result<std::span<const std::string_view>> strings(std::string_view key) const;
  [[nodiscard]] Result<std::vector<std::int64_t>> integers(std::string_view key) const;
  [[nodiscard]] Result<std::vector<double>> reals(std::string_view key) const;

  // The fallback replaces an absent key only; a key of another type stays an error.
  [[nodiscard]] Result<std::string_view> string_or(std::string_view key, std::string_view fallback) const;
  [[nodiscard]] Result<std::int64_t> integer_or(std::string_view key, std::int64_t fallback) const;
  [[nodiscard]] Result<double> real_or(std::string_view key, double fallback) const;
  [[nodiscard]] Result<bool> boolean_or(std::string_view key, bool fallback) const;

 private:
  struct Value {
    GgufType type = GgufType::kUint8;
    GgufType element = GgufType::kUint8;    // of an array
    std::uint64_t n_elements = 0;           // of an array
    std::span<const std::byte> bytes;       // a scalar, a string's characters, or an array's elements (strings with lengths)
    std::vector<std::string_view> strings;  // of an array of strings
  };

  [[nodiscard]] Result<Value> read_value(ByteReader& reader, std::string_view key) const;
  [[nodiscard]] Result<void> read_array(ByteReader& reader, std::string_view key, Value& value) const;
  [[nodiscard]] Error broken(std::string_view key, const std::string& what) const;
  [[nodiscard]] Result<const Value*> find(std::string_view key) const;
  [[nodiscard]] Error wrong_type(std::string_view key, const Value& value, std::string_view wanted) const;

  template <class T>
  [[nodiscard]] Result<std::vector<T>> numbers(std::string_view key, std::optional<T> (*next)(ByteReader&, GgufType),
                                               std::string_view wanted) const;

  std::map<std::string_view, Value> entries_;  // ordered: no hash for a hostile file to flood
  std::string file_name_;
};

}  // namespace mie
