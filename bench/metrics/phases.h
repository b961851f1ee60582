// Where a request's time went, from its stamps and the server's. Pure; any thread.
#pragma once

#include "bench/load/request_record.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace mie::bench {

// Each begins where the one before it ends, so together they are e2el. Sampling happens within a step and detokenising between
// two writes: their time is part of prefill, decode and network-out unless the server has stamps between.
enum class Phase : std::uint8_t {
  kNetworkIn,  // send to the head's last byte at the server
  kParse,
  kTokenise,
  kQueue,
  kPrefill,
  kSample,  // of the first token
  kDecode,
  kFinish,  // last token to the end in the engine
  kNetworkOut
};

inline constexpr std::array<std::string_view, 9> kPhases = {"network-in", "parse",  "tokenise", "queue",      "prefill",
                                                            "sample",     "decode", "finish",   "network-out"};

using PhaseTimes = std::array<double, kPhases.size()>;  // s

// Nothing where the server has not told, or the request did not get through all of them.
[[nodiscard]] std::optional<PhaseTimes> phases_of(const RequestRecord& record);

// What the way there and back adds to the first token: the client's ttft less the server's, s.
[[nodiscard]] std::optional<double> transport_of(const RequestRecord& record);

// The first two stamps, the client's around the server's, that are not in order; empty: all are. The server rounds to 1 µs.
[[nodiscard]] std::string disorder_of(const RequestRecord& record);

}  // namespace mie::bench
