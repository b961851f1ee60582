// What this binary is: for --version, GET /version and the first log line. Link the library build_info; it is not part of
// base, so that a new commit does not relink every test.
// Values with static storage; any thread.
#pragma once

#include <string_view>

namespace mie {

struct BuildInfo {
  std::string_view version;     // "0.1.0"
  std::string_view commit;      // 12 hexadecimal digits; "unknown" outside a git checkout
  std::string_view compiler;    // "clang 19.1.7"
  std::string_view build_type;  // "Release"
};

[[nodiscard]] BuildInfo build_info();

}  // namespace mie
