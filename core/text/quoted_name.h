// A name out of a model file, fit for an error message: in quotes, printable ASCII only, at most 64 characters.
// A pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace mie {

inline std::string quoted_name(std::string_view name) {
  constexpr std::size_t kMaxShown = 64;
  std::string out = "'";
  for (const char c : name.substr(0, kMaxShown)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (name.size() > kMaxShown ? "…'" : "'");
}

}  // namespace mie
