// Conversations of several turns. Values; any thread.
#pragma once

#include "bench/workload/spec/length_spec.h"

namespace mie::bench {

// How the turns stand in the expanded list: session after session, or all first turns, then all second turns, …
enum class SessionOrder : std::uint8_t { kSequential, kInterleaved };

struct SessionsSpec {
  LengthSpec turns;
  std::optional<LengthSpec> think_s;  // between an answer and the next turn; absent: none
  bool keep_history = true;           // a turn's prompt begins with the turns before it
  SessionOrder order = SessionOrder::kSequential;

  void describe(Fields& fields);
};

}  // namespace mie::bench
