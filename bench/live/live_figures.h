// What a display shows of a load while it runs, from the client's progress and the server's counters. Statuses and tokens are
// by the look of the answers, which are read after the run. Used by the display's thread.
#pragma once

#include "bench/load/progress.h"
#include "bench/run/prometheus_text.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>

namespace mie::bench {

struct LatencyLine {
  std::int64_t n = 0;
  std::optional<double> p50, p95, p99;  // s; absent: nothing ended
};

struct LiveFigures {
  double elapsed_s = 0;
  std::int64_t n_requests = 0, sent = 0, ended = 0, failed = 0, in_flight = 0, waiting = 0;
  double tokens_per_s = 0, requests_per_s = 0;       // of the last second
  std::array<double, 60> tokens_by_second{};         // the last one last
  LatencyLine ttft_recent, ttft, e2el_recent, e2el;  // recent: of the last 10 s
  double worst_lateness_s = 0;
  std::optional<double> running, queued, kv_used;  // of the server
  std::optional<double> left_s;                    // until the end, as far as it can be told
};

class LiveMeter {
 public:
  // `length_s`: of a load that ends by time.
  LiveMeter(const LoadProgress& progress, std::optional<double> length_s) : progress_(progress), length_s_(length_s) {}

  // At `now_ns` of the stamp clock; times must not descend.
  [[nodiscard]] LiveFigures look(std::int64_t now_ns, const MetricSums& server);

 private:
  struct Look {
    std::int64_t at_ns, tokens, ended;
  };

  void keep(const Look& look);

  const LoadProgress& progress_;
  std::optional<double> length_s_;
  std::deque<Look> looks_;  // of the last minute
};

}  // namespace mie::bench
