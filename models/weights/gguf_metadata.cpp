#include "models/weights/gguf_metadata.h"

#include "models/weights/byte_reader.h"
#include "models/weights/format_error.h"

#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace mie {
namespace {

constexpr std::size_t kMaxKeyBytes = 65535;  // limit of the format

struct TypeInfo {
  std::string_view name;
  std::uint32_t bytes;  // of one value; 0: not of fixed size
};
constexpr std::array<TypeInfo, 13> kTypes = {{{"uint8", 1},
                                              {"int8", 1},
                                              {"uint16", 2},
                                              {"int16", 2},
                                              {"uint32", 4},
                                              {"int32", 4},
                                              {"float32", 4},
                                              {"bool", 1},
                                              {"string", 0},
                                              {"array", 0},
                                              {"uint64", 8},
                                              {"int64", 8},
                                              {"float64", 8}}};

const TypeInfo& info_of(GgufType type) { return kTypes.at(static_cast<std::size_t>(type)); }
bool known(GgufType type) { return static_cast<std::size_t>(type) < kTypes.size(); }

// The next value of this integer type as 64 bits; none for other types and for what does not fit.
std::optional<std::int64_t> next_integer(ByteReader& reader, GgufType type) {
  switch (type) {
    case GgufType::kUint8:
      return reader.number<std::uint8_t>();
    case GgufType::kInt8:
      return reader.number<std::int8_t>();
    case GgufType::kUint16:
      return reader.number<std::uint16_t>();
    case GgufType::kInt16:
      return reader.number<std::int16_t>();
    case GgufType::kUint32:
      return reader.number<std::uint32_t>();
    case GgufType::kInt32:
      return reader.number<std::int32_t>();
    case GgufType::kInt64:
      return reader.number<std::int64_t>();
    case GgufType::kUint64: {
      const auto value = reader.number<std::uint64_t>();
      if (!std::in_range<std::int64_t>(value)) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> next_real(ByteReader& reader, GgufType type) {
  switch (type) {
    case GgufType::kFloat32:
      return static_cast<double>(reader.number<float>());
    case GgufType::kFloat64:
      return reader.number<double>();
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<GgufMetadata> GgufMetadata::read(ByteReader& reader, std::uint64_t n_entries, std::string file_name) {
  GgufMetadata metadata;
  metadata.file_name_ = std::move(file_name);
  for (std::uint64_t i = 0; i < n_entries; ++i) {
    const std::string_view key = reader.string();
    if (reader.failed()) {
      return format_error(metadata.file_name_,
                          "ends within metadata entry " + std::to_string(i + 1) + " of " + std::to_string(n_entries));
    }
    if (key.empty() || key.size() > kMaxKeyBytes) {
      return format_error(metadata.file_name_,
                          "metadata entry " + std::to_string(i + 1) + " has a key of " + std::to_string(key.size()) + " bytes");
    }
    auto value = metadata.read_value(reader, key);
    if (!value) return value.error();
    if (!metadata.entries_.emplace(key, std::move(*value)).second) {
      return metadata.broken(key, "occurs twice");
    }
  }
  return metadata;
}

Result<GgufMetadata::Value> GgufMetadata::read_value(ByteReader& reader, std::string_view key) const {
  Value value;
  value.type = static_cast<GgufType>(reader.number<std::uint32_t>());
  if (reader.failed()) return broken(key, "is cut off");
  if (!known(value.type)) return broken(key, "has unknown type " + std::to_string(static_cast<std::uint32_t>(value.type)));
  if (value.type == GgufType::kArray) {
    if (auto read = read_array(reader, key, value); !read) return read.error();
    return value;
  }
  const std::uint64_t n_bytes = value.type == GgufType::kString ? reader.number<std::uint64_t>() : info_of(value.type).bytes;
  value.bytes = reader.take(n_bytes);
  if (reader.failed()) return broken(key, "is cut off");
  return value;
}

Result<void> GgufMetadata::read_array(ByteReader& reader, std::string_view key, Value& value) const {
  value.element = static_cast<GgufType>(reader.number<std::uint32_t>());
  value.n_elements = reader.number<std::uint64_t>();
  if (reader.failed()) return broken(key, "is cut off");
  if (!known(value.element)) {
    return broken(key, "is an array of unknown type " + std::to_string(static_cast<std::uint32_t>(value.element)));
  }
  if (value.element == GgufType::kArray) return broken(key, "is an array of arrays, which is not supported");
  // The smallest element is a byte, the smallest string its 8-byte length.
  const std::uint64_t least_bytes = value.element == GgufType::kString ? 8 : info_of(value.element).bytes;
  if (value.n_elements > reader.remaining() / least_bytes) {
    return broken(key, "claims " + std::to_string(value.n_elements) + " elements, more than the file holds");
  }
  if (value.element != GgufType::kString) {
    value.bytes = reader.take(value.n_elements * least_bytes);
    return {};
  }
  value.strings.reserve(static_cast<std::size_t>(value.n_elements));
  for (std::uint64_t i = 0; i < value.n_elements && !reader.failed(); ++i) value.strings.push_back(reader.string());
  if (reader.failed()) return broken(key, "is cut off");
  if (value.strings.empty()) return {};
  const char* begin = value.strings.front().data() - least_bytes;
  const char* end = value.strings.back().data() + value.strings.back().size();
  value.bytes = std::as_bytes(std::span(begin, end));
  return {};
}

std::vector<std::pair<std::string_view, std::span<const std::byte>>> GgufMetadata::raw_entries(std::string_view prefix) const {
  std::vector<std::pair<std::string_view, std::span<const std::byte>>> found;
  for (auto entry = entries_.lower_bound(prefix); entry != entries_.end() && entry->first.starts_with(prefix); ++entry)
    found.emplace_back(entry->first, entry->second.bytes);
  return found;
}

Error GgufMetadata::broken(std::string_view key, const std::string& what) const {
  return format_error(file_name_, "metadata " + quote(key) + " " + what);
}

Result<const GgufMetadata::Value*> GgufMetadata::find(std::string_view key) const {
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return broken(key, "is missing");
  return &entry->second;
}

Error GgufMetadata::wrong_type(std::string_view key, const Value& value, std::string_view wanted) const {
  std::string found(info_of(value.type).name);
  if (value.type == GgufType::kArray) found += " of " + std::string(info_of(value.element).name);
  return broken(key, "is " + found + " where " + std::string(wanted) + " is expected");
}

Result<std::string_view> GgufMetadata::string(std::string_view key) const {
  const auto value = find(key);
  if (!value) return value.error();
  const Value& found = **value;
  if (found.type != GgufType::kString) return wrong_type(key, found, "string");
  return std::string_view(reinterpret_cast<const char*>(found.bytes.data()), found.bytes.size());
}

Result<std::int64_t> GgufMetadata::integer(std::string_view key) const {
  const auto value = find(key);
  if (!value) return value.error();
  ByteReader reader((*value)->bytes);
  const auto number = next_integer(reader, (*value)->type);
  if (!number) return wrong_type(key, **value, "an integer of 63 bits");
  return *number;
}

Result<double> GgufMetadata::real(std::string_view key) const {
  const auto value = find(key);
  if (!value) return value.error();
  ByteReader reader((*value)->bytes);
  const auto number = next_real(reader, (*value)->type);
  if (!number) return wrong_type(key, **value, "a float");
  return *number;
}

Result<bool> GgufMetadata::boolean(std::string_view key) const {
  const auto value = find(key);
  if (!value) return value.error();
  const Value& found = **value;
  if (found.type != GgufType::kBool) return wrong_type(key, found, "bool");
  return found.bytes.front() != std::byte{0};
}

Result<std::span<const std::string_view>> GgufMetadata::strings(std::string_view key) const {
  const auto value = find(key);
  if (!value) return value.error();
  const Value& found = **value;
  if (found.type != GgufType::kArray || found.element != GgufType::kString) return wrong_type(key, found, "array of string");
  return std::span<const std::string_view>(found.strings);
}

template <class T>
Result<std::vector<T>> GgufMetadata::numbers(std::string_view key, std::optional<T> (*next)(ByteReader&, GgufType),
                                             std::string_view wanted) const {
  const auto value = find(key);
  if (!value) return value.error();
  const Value& found = **value;
  if (found.type != GgufType::kArray || found.element == GgufType::kString) return wrong_type(key, found, wanted);
  ByteReader reader(found.bytes);
  std::vector<T> numbers;
  numbers.reserve(static_cast<std::size_t>(found.n_elements));
  for (std::uint64_t i = 0; i < found.n_elements; ++i) {
    const auto number = next(reader, found.element);
    if (!number) return wrong_type(key, found, wanted);
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::vector<std::int64_t>> GgufMetadata::integers(std::string_view key) const {
  return numbers<std::int64_t>(key, next_integer, "array of integers of 63 bits");
}

Result<std::vector<double>> GgufMetadata::reals(std::string_view key) const {
  return numbers<double>(key, next_real, "array of floats");
}

Result<std::string_view> GgufMetadata::string_or(std::string_view key, std::string_view fallback) const {
  return contains(key) ? string(key) : Result<std::string_view>(fallback);
}

Result<std::int64_t> GgufMetadata::integer_or(std::string_view key, std::int64_t fallback) const {
  return contains(key) ? integer(key) : Result<std::int64_t>(fallback);
}

Result<double> GgufMetadata::real_or(std::string_view key, double fallback) const {
  return contains(key) ? real(key) : Result<double>(fallback);
}

Result<bool> GgufMetadata::boolean_or(std::string_view key, bool fallback) const {
  return contains(key) ? boolean(key) : Result<bool>(fallback);
}

}  // namespace mie
