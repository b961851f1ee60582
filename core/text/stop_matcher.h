// Finds stop strings in streamed text. The match that ends first wins, of two that end together the longer; text is cut
// before it (or after it with `include`). The longest suffix that could still begin a stop string is held back until it is
// decided, so no character of a match is ever released. Used by one connection; not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

class StopMatcher {
 public:
  // `include`: the matched stop string itself is released too. REQUIRES: no empty stop string.
  explicit StopMatcher(std::vector<std::string> stops, bool include = false);

  struct Step {
    std::string text;                  // released by this call
    std::optional<std::string> match;  // the stop string that ended the output; nothing may be pushed after it
  };
  Step push(std::string_view text);

  // The output ended without a match: what was held back.
  std::string finish();

 private:
  std::vector<std::string> stops_;
  bool include_;
  std::string held_;
};

}  // namespace mie
