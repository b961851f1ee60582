// How planned requests are sent to a server over HTTP: where to, with which members, on how many connections, in which loop.
// A value, made from a spec; any thread.
#pragma once

#include "bench/workload/send_choices.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mie::bench {

struct StreamMembers {
  bool enabled = true;
  bool include_usage = true;
  bool continuous_usage = false;  // usage so far on every event: a source of token counts
  bool timings = false;           // `include_timings`: the server's own stamps
  bool token_ids = false;         // `return_token_ids`: the best source, and what answers are compared by
};

// The next request follows an answer and its think time. Such a loop sends less while the server stalls, and so hides that it
// did.
struct ClosedLoop {
  int concurrency = 1;
};

struct LoadSettings {
  using Duration = std::chrono::nanoseconds;

  std::string url{};  // http://host[:port][/prefix]
  Endpoint endpoint = Endpoint::kCompletions;
  std::string model{};
  SamplingMembers sampling{};
  StreamMembers stream{};
  bool ignore_eos = true;
  bool exact = true;                                           // min_tokens = max_tokens
  std::vector<std::pair<std::string, std::string>> headers{};  // an API key's too
  std::vector<std::pair<std::string, std::string>> members{};  // further members of the body: name, JSON text
  std::optional<Duration> deadline{};                          // of the server, sent as `timeout_ms`

  std::optional<ClosedLoop> closed{};  // none: an open loop, each request at its intended time
  std::optional<Duration> send_for{};  // nothing is sent after this; what is in flight ends
  std::optional<Duration> warmup{};    // of a closed loop: what is due before it is warm-up
  std::optional<Duration> timeout{};   // of the client, from the start of a request, connecting included
  std::optional<int> max_in_flight{};
  Overflow overflow = Overflow::kQueue;
  int connections = 0;  // at most; 0: as many as are wanted, up to kMostConnections
  bool keepalive = true;
  std::size_t receive_bytes = 0;  // memory for what arrives; 0: estimated from the requests
};

inline constexpr int kMostConnections = 4096;

}  // namespace mie::bench
