// One request of an expanded workload: what is sent, and when. Made once from a spec, before any clock runs; read by every
// target (a server over HTTP, the engine in this process, the simulated engine), so that the same spec is the same work on all
// of them.
#pragma once

#include "core/base/id.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mie::bench {

// A reader that goes away on purpose, after a time or after a number of tokens, whichever is given.
struct PlannedCancel {
  std::optional<std::chrono::nanoseconds> after;  // of the send
  std::optional<int> after_tokens;
};

struct PlannedRequest {
  int index = 0;        // place in the expanded list, warm-up included; ids are made of it
  bool warmup = false;  // sent like the others, in no figure

  // From the start of the load. None where a request follows another one's answer: in a closed loop, in later turns of a
  // session, and for warm-up requests that are sent one by one before the load starts.
  std::optional<std::chrono::nanoseconds> intended;
  // Between the answer before it and this request; for the first of a closed loop's slot, from the start of the load.
  std::chrono::nanoseconds think{0};

  int session = 0;  // requests of a session follow each other; those before the load are session -1
  int turn = 0;     // from 0

  std::vector<TokenId> prompt;  // what is sent with `prompt.form = "tokens"`
  std::string text;             // what is sent with `prompt.form = "text"`
  int output_tokens = 0;        // asked for: the most, and with `output.exact` the least too
  std::uint64_t seed = 0;       // of its sampling

  PlannedCancel cancel;
  std::optional<double> read_bytes_per_s;  // of a slow reader
};

}  // namespace mie::bench
