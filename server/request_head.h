// The head of one HTTP request, read and judged before anything else sees it. Stricter than the parser behind it: what
// the two could read differently is refused here, so that no request can hide inside another. Pure; any thread.
// Rule names H1 … H22 are labels of mie_http_bad_requests_total.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mie {

struct HeadField {
  std::string name;   // as sent
  std::string value;  // without blanks around it
};

struct RequestHead {
  std::string method;
  std::string path;       // raw, without query
  std::string query;      // raw, after the first '?'
  int minor_version = 1;  // of HTTP/1
  std::vector<HeadField> fields;
  std::string host;  // empty: none (HTTP/1.0)

  [[nodiscard]] const std::string* find(std::string_view name) const;  // any case
  [[nodiscard]] bool wants_close() const;                              // Connection: close, or 1.0 without keep-alive
  [[nodiscard]] bool has_body() const;                                 // announces one of at least a byte
};

struct HeadFault {
  Error error;
  std::string_view rule;
};

inline constexpr std::size_t kMaxRequestLine = 8192;
inline constexpr std::size_t kMaxHeadBytes = 32768;
inline constexpr std::size_t kMaxFields = 64;

// `bytes`: what has been read so far. Nothing: the head is not complete yet. `n_bytes` gets the length of a complete
// head, empty line included.
std::optional<std::variant<RequestHead, HeadFault>> read_head(std::string_view bytes, std::size_t& n_bytes);

// Case-insensitive for ASCII.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);

}  // namespace mie
