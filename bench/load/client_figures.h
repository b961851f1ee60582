// How well the client itself kept up, and whether it was the bottleneck of what it measured. Pure; any thread.
#pragma once

#include "bench/load/client_meter.h"
#include "bench/load/exchange.h"
#include "bench/load/request_record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

struct ClientFigures {
  // s, from when the client had no reason to wait (the intended instant; where a limit of the spec held the request back, the
  // instant at which it no longer did) to the first byte.
  double lateness_p50 = 0, lateness_p99 = 0, lateness_max = 0;
  double cpu_share = 0;  // of one core, spins left out: they are waiting
  double spin_share = 0;
  double loop_gap_max = 0;     // s between two looks at the sockets
  double loop_time_mean = 0;   // s of those, on average
  double run_queue_share = 0;  // ready and not running
  double coalesced_share = 0;  // of reads with tokens, those with several token events
  double read_gap_median = 0;  // s between reads with tokens of one request
  int connections = 0;         // opened
  int connect_errors = 0;
  bool out_of_sockets = false;
};

[[nodiscard]] ClientFigures client_figures(const ClientUse& use, std::span<const Exchange> exchanges,
                                           std::span<const RequestRecord> records);

struct ClientVerdict {
  std::vector<std::string> reasons;  // none: the client was not the bottleneck
  [[nodiscard]] bool client_bound() const { return !reasons.empty(); }
};

// `median_gap_s`: between intended instants of an open loop; absent in closed loops and bursts. `times_null_server`: the rate
// that the same load reaches against the null server over the rate under test; absent: not tried.
[[nodiscard]] ClientVerdict client_verdict(const ClientFigures& figures, std::optional<double> median_gap_s,
                                           std::optional<double> times_null_server);

// Of the intended instants, for client_verdict: nothing for fewer than two, or when most coincide.
[[nodiscard]] std::optional<double> median_gap(std::span<const RequestRecord> records);

}  // namespace mie::bench
