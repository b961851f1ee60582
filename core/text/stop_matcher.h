// Finds stop strings in streamed text. The match that ends first wins, of two that end together the longer; text is cut
// before it (or after it with `include`). The longest suffix that could still begin a stop string is held back until it is
// decided, so no character of a match is ever released. Used by one connection; not thread-safe.
// Cost: a few steps a byte and stop string (Knuth, Morris and Pratt's search, one automaton a stop string), however the
// text is split; memory: 5 bytes for each byte of the stop strings.
#pragma once

#include <cstdint>
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
  struct Stop {
    std::string text;
    std::vector<std::uint32_t> borders;  // [k] = longest proper prefix of text that is a suffix of its first k + 1 bytes
    std::size_t matched = 0;             // bytes of text that the output ends with, as many as possible
  };

  static void advance(Stop& stop, char byte);
  const Stop* advance_all(char byte);  // the stop string that ends with this byte, or null

  std::vector<Stop> stops_;
  bool include_;
  bool ended_ = false;
  std::string held_;
};

}  // namespace mie
