// Choices that a specification makes and the load client follows. Values.
#pragma once

#include <cstdint>

namespace mie::bench {

enum class Endpoint : std::uint8_t { kCompletions, kChat };

// What becomes of a request that is due while `max_in_flight` are: it waits and keeps its intended time, or is never sent.
enum class Overflow : std::uint8_t { kQueue, kDrop };

}  // namespace mie::bench
