// `mie bench selftest --serve`: the known-answer server by itself, for other load clients: what they must measure is known. On
// the main thread.
#pragma once

#include <chrono>

namespace mie::bench {

struct Pace {
  std::chrono::nanoseconds first{0};  // from the whole request to its first token
  std::chrono::nanoseconds gap{0};    // from token to token
};

// Prints its URL, and serves until standard input ends.
void serve_known_answers(const Pace& pace);

}  // namespace mie::bench
