// Choices that a specification makes and the load client follows. Values.
#pragma once

#include <cstdint>

namespace mie::bench {

enum class Endpoint : std::uint8_t { kCompletions, kChat };

// What becomes of a request that is due while `max_in_flight` are: it waits and keeps its intended time, or is never sent.
enum class Overflow : std::uint8_t { kQueue, kDrop };

// Always sent in full, so that no server's defaults decide.
struct SamplingMembers {
  double temperature = 0;
  double top_p = 1;
  int top_k = 0;
  double min_p = 0;
  double repetition_penalty = 1;
  double presence_penalty = 0;
  double frequency_penalty = 0;
  int logprobs = 0;  // the n best of each token; 0: not asked for
};

}  // namespace mie::bench
