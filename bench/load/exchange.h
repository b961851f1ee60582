// What the client knows of a request while it runs: instants and how it ended, nothing of what the answer says. Stamps are
// those of stamp_clock.h. A value in a preallocated array; the loop's thread, anyone after the run.
#pragma once

#include <cstdint>
#include <string_view>

namespace mie::bench {

enum class Ending : std::uint8_t {
  kNotSent,  // the run ended before its turn
  kDropped,  // too many were in flight
  kConnectFailed,
  kComplete,  // the HTTP answer is whole
  kBroken,    // no HTTP answer
  kClosed,    // by the server before the answer was whole
  kReset,
  kTimedOut,
  kCancelled,  // on purpose
  kStopped,    // with the run
};

struct Exchange {
  static constexpr std::int64_t kNever = -1;

  std::int64_t intended_ns = kNever;  // closed loop: the moment it could be sent
  std::int64_t due_ns = kNever;       // when the client had no reason left to wait; lateness of the client counts from here
  std::int64_t send_ns = kNever;
  std::int64_t sent_ns = kNever;
  std::int64_t first_ns = kNever;  // the first part of a body
  std::int64_t end_ns = kNever;
  std::int64_t bytes_in = 0, bytes_out = 0;
  int connection = 0;  // from 1
  int n_chunks = 0;    // of a chunked body
  int tokens = 0;      // counted for a cancel
  int http_status = 0;
  int error_number = 0;
  Ending ending = Ending::kNotSent;
  enum class Phase : std::uint8_t { kPlanned, kWaiting, kInFlight, kEnded } phase = Phase::kPlanned;
};

}  // namespace mie::bench
