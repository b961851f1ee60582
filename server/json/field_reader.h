// Typed fields of one JSON object. The first fault is kept and every later read gives nothing, so fields are read in the
// order of the tables of the interface and the fault that is reported is the first in that order. A null field is an
// absent one. Used by one request; not thread-safe.
#pragma once

#include "core/base/error.h"
#include "server/json/request_parse.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mie::json {

struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

class FieldReader {
 public:
  using Element = simdjson::dom::element;

  // `path`: of the object itself, empty for the body. The document outlives the reader.
  FieldReader(const RequestDocument& document, simdjson::dom::object object, std::string path = {});

  [[nodiscard]] std::optional<bool> boolean(std::string_view name);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, IntegerRange range = {});
  [[nodiscard]] std::int64_t required_integer(std::string_view name, IntegerRange range = {});  // 0 after a fault
  [[nodiscard]] std::optional<double> number(std::string_view name);
  [[nodiscard]] std::optional<std::string> string(std::string_view name);
  [[nodiscard]] std::optional<simdjson::dom::array> list(std::string_view name);
  [[nodiscard]] std::optional<simdjson::dom::object> object(std::string_view name);

  // An item of a list that stands at `path`. Nothing after a fault.
  [[nodiscard]] std::optional<std::int64_t> integer_at(const Element& item, const std::string& path, IntegerRange range = {});
  [[nodiscard]] std::optional<double> number_at(const Element& item, const std::string& path);
  [[nodiscard]] std::optional<std::string> string_at(const Element& item, const std::string& path);

  // The field as it is, whatever its type; nothing when absent or null.
  [[nodiscard]] std::optional<Element> find(std::string_view name) const;

  [[nodiscard]] std::string path_of(std::string_view name) const { return member_path(path_, name); }

  void fail(Error error);           // keeps the first
  void replace_fault(Error error);  // for one that was found late and stands earlier in the table
  void wrong_type(const std::string& path, std::string_view expected);                      // "{path} must be {expected}"
  void wrong_value(const std::string& path, std::string_view range, std::string_view got);  // "… must be {range}, got {got}"
  void missing(std::string_view name);

  [[nodiscard]] bool failed() const { return fault_.has_value(); }
  [[nodiscard]] const Error& fault() const { return *fault_; }  // REQUIRES: failed()

 private:
  const RequestDocument& document_;
  std::string path_;
  std::vector<std::pair<std::string_view, Element>> fields_;  // by name
  std::optional<Error> fault_;
};

// A value as an error message shows it: numbers, words and short plain strings; anything else by its kind.
[[nodiscard]] std::string shown(const simdjson::dom::element& value);
// In quotes, escaped to ASCII, cut at 64 characters.
[[nodiscard]] std::string shown(std::string_view text);
[[nodiscard]] std::string shown(std::int64_t value);

}  // namespace mie::json
