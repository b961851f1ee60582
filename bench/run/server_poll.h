// Asks a target for its counters once a second while a load runs, on a thread of its own. Owned by the run.
#pragma once

#include "bench/result/run_result.h"

#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

namespace mie::bench {

class ServerPoll {
 public:
  // `since_ns`: the zero of the samples' times, of the stamp clock. `ask` is called, and `seen` gets each sample, on the poll's
  // thread.
  ServerPoll(std::function<MetricSums()> ask, std::int64_t since_ns, std::function<void(const ServerSample&)> seen = {});

  [[nodiscard]] std::vector<ServerSample> end();  // what was seen

 private:
  void poll(const std::stop_token& stop);

  std::function<MetricSums()> ask_;
  std::int64_t since_ns_;
  std::function<void(const ServerSample&)> seen_;
  std::vector<ServerSample> samples_;
  std::jthread thread_;
};

}  // namespace mie::bench
