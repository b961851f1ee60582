// The life of a request as the server itself tells it (`timings` of its answer). Values; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mie::bench {

enum class ServerStamp : std::uint8_t {
  kParsed,
  kTokenized,
  kEnqueued,
  kAdmitted,
  kPrefillStart,
  kPrefillEnd,
  kFirstToken,
  kFirstWrite,
  kLastToken,
  kFinished
};

// As the server spells them, without the unit.
inline constexpr std::array<std::string_view, 10> kServerStamps = {"parsed",        "tokenized",   "enqueued",    "admitted",
                                                                   "prefill_start", "prefill_end", "first_token", "first_write",
                                                                   "last_token",    "finished"};

struct ServerTimes {
  std::int64_t accepted_ns = 0;                                            // the last byte of the request's head
  std::array<std::optional<std::int64_t>, kServerStamps.size()> stamps{};  // absent: did not happen
  int steps = 0, prefill_tokens = 0, cached_tokens = 0, preemptions = 0, max_batch = 0;

  [[nodiscard]] const std::optional<std::int64_t>& at(ServerStamp stamp) const {
    return stamps[static_cast<std::size_t>(stamp)];
  }

  void shift(std::int64_t by_ns) {
    accepted_ns += by_ns;
    for (auto& stamp : stamps)
      if (stamp) *stamp += by_ns;
  }

  // An answer has `accepted_ns` on the stamp clock and the others since then, on CLOCK_MONOTONIC. From here on all are stamps
  // from `began_ns` on; `rate`: as stamp_rate.
  void place(std::int64_t began_ns, double rate) {
    accepted_ns -= began_ns;
    for (auto& stamp : stamps)
      if (stamp) stamp = accepted_ns + static_cast<std::int64_t>(static_cast<double>(*stamp) * rate);
  }
};

}  // namespace mie::bench
