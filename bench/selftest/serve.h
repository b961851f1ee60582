// `mie bench selftest --serve`: the known-answer server by itself, for other load clients: what they must measure is known. On
// the main thread.
#pragma once

#include <chrono>

namespace mie::bench {

struct Pace {
  std::chrono::nanoseconds first{0};  // from the whole request to its first token, and up to a gap more
  std::chrono::nanoseconds gap{0};    // from token to token
};

// Prints its URL, and serves until standard input ends. The first token of the n-th request comes (n mod 8) / 8 of a gap later
// than of the first one: answers that began together would else be written and end together, and clients be measured by how
// they cope with that.
void serve_known_answers(const Pace& pace);

}  // namespace mie::bench
