// How far a run is, for a display on another thread: written by the loop without waiting, readable by anyone at any time. What
// an answer says is read after the run, so statuses and tokens here are by the look of it.
#pragma once

#include "bench/load/request_record.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace mie::bench {

// A request that ended; stamps from the start of the load.
struct EndedRequest {
  std::int64_t at_ns = 0;
  std::int64_t ttft_ns = -1;  // to the first part of the body; -1: there was none
  std::int64_t e2el_ns = 0;
  int tokens = 0;  // chunks of the body: with one token an event about the tokens
  RequestStatus status = RequestStatus::ok;
};

class LoadProgress {
 public:
  explicit LoadProgress(std::size_t n_requests)
      : n_requests_(n_requests), ended_(std::make_unique<EndedRequest[]>(n_requests)) {}

  std::atomic<std::int64_t> started_ns{0};  // of the stamp clock; 0: the clock does not run yet
  std::atomic<std::int64_t> sent{0};
  std::atomic<std::int64_t> in_flight{0};
  std::atomic<std::int64_t> waiting{0};  // due, and held back by a limit of the client
  std::atomic<std::int64_t> tokens{0};
  std::atomic<std::int64_t> worst_lateness_ns{0};
  std::array<std::atomic<std::int64_t>, kStatuses.size()> by_status{};

  [[nodiscard]] std::size_t n_requests() const { return n_requests_; }
  // All that ended so far, in that order. Each is written once, before it is in the span.
  [[nodiscard]] std::span<const EndedRequest> ended() const { return {ended_.get(), n_ended_.load(std::memory_order_acquire)}; }

  // The loop's thread only.
  void add(const EndedRequest& request) {
    const std::size_t n = n_ended_.load(std::memory_order_relaxed);
    ended_[n] = request;
    n_ended_.store(n + 1, std::memory_order_release);
    by_status[static_cast<std::size_t>(request.status)].fetch_add(1, std::memory_order_relaxed);
  }

 private:
  std::size_t n_requests_;
  std::unique_ptr<EndedRequest[]> ended_;
  std::atomic<std::size_t> n_ended_{0};
};

}  // namespace mie::bench
