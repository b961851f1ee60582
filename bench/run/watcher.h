// Who looks on while loads run: a display, or nobody. Called by the run on its thread, but for `server_said`.
#pragma once

#include "bench/load/load.h"
#include "bench/result/run_result.h"

#include <string>

namespace mie::bench {

struct LoadTitle {
  std::string workload{}, arm{};
  int number = 0, n_loads = 0;  // of all loads of the run, from 1
};

class Watcher {
 public:
  virtual ~Watcher() = default;

  virtual void begins(const LoadTitle& /*title*/, const WorkloadSpec& /*spec*/, const Load& /*load*/) {}
  virtual void server_said(const ServerSample& /*sample*/) {}  // on another thread
  virtual void ended() {}                                      // the load, which is gone afterwards
};

}  // namespace mie::bench
