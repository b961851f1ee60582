// A request body as a checked JSON object. Everything that can be wrong with a text as such is found here, before any
// field is looked at: it is not one JSON object, has trailing bytes, a byte order mark, invalid UTF-8, a lone surrogate, a
// key twice at any depth, nesting over 64, a string over 8 MiB, or a number that is neither a 64-bit integer nor a finite
// double. Built on simdjson's DOM, which validates the whole text; its On-Demand front end would leave unread parts
// unchecked. Owned by the request that parses it; not thread-safe.
#pragma once

#include "core/base/error.h"

#include <simdjson.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mie::json {

inline constexpr int kMaxDepth = 64;
inline constexpr std::size_t kMaxStringBytes = std::size_t{8} << 20U;

class RequestDocument {
 public:
  // Errors: kInvalidJson, kInvalidUtf8, kDuplicateKey, kTooDeep, kInvalidValue, with the path where there is one.
  static Result<RequestDocument> parse(std::string body);

  [[nodiscard]] simdjson::dom::object root() const { return root_; }

  // Whether the number at `path` was written as an integer that fits no 64-bit integer: as a value it reads as a double.
  [[nodiscard]] bool is_oversized_integer(std::string_view path) const;

 private:
  RequestDocument() = default;

  std::unique_ptr<simdjson::dom::parser> parser_;  // owns the tape that root_ points into
  simdjson::dom::object root_;
  std::vector<std::string> oversized_integers_;  // paths
};

// "messages" + "role" → "messages.role"; bytes of a client's key that are not plain are shown as '?', long keys are cut.
[[nodiscard]] std::string member_path(std::string_view parent, std::string_view key);
// "stop" + 1 → "stop[1]"
[[nodiscard]] std::string item_path(std::string_view parent, std::size_t index);

// "request body is not a JSON object: {reason} at byte {n}"
[[nodiscard]] Error not_json(std::string_view reason, std::size_t byte);

}  // namespace mie::json
