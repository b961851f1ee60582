// Which request may be sent when: an open loop's at their intended times, a closed loop's after answers, and in both the turns
// of a session one after the other. Times from the start of the load. Owned by a run; its loop's
// thread.
#pragma once

#include "bench/load/load_settings.h"
#include "bench/workload/planned_request.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mie::bench {

struct Due {
  int request = 0;  // place in the list
  std::int64_t at_ns = 0;
};

class SendOrder {
 public:
  // The requests outlive it. A request of turn k > 0 follows the one of its session with turn k − 1, if there is one.
  SendOrder(std::span<const PlannedRequest> requests, const std::optional<ClosedLoop>& closed);

  // What is due without any answer. REQUIRES: called once, first.
  [[nodiscard]] std::vector<Due> first();

  // What the end of a request, however it ended, makes due. Allocates nothing.
  [[nodiscard]] std::optional<Due> after(int request, std::int64_t end_ns);

 private:
  [[nodiscard]] const PlannedRequest& at(int request) const { return requests_[static_cast<std::size_t>(request)]; }
  [[nodiscard]] std::optional<int> next_head();

  std::span<const PlannedRequest> requests_;
  std::optional<ClosedLoop> closed_;
  std::vector<int> next_turn_;  // of each request; -1: it is the last of its session
  std::vector<int> heads_;      // requests that follow no other
  std::size_t n_taken_ = 0;     // heads that a closed loop has handed out
};

}  // namespace mie::bench
