// `mie bench selftest`: the harness measures what is known. Exit code 0: every point passes; 1: one does not; 4: one could not
// be looked at, because the analysis is not installed; 5: one does not on a machine that others used meanwhile. On the main
// thread.
#pragma once

#include "bench/bench_command.h"

#include <vector>

namespace mie {

class BenchSelfTest final : public BenchSubcommand {
 public:
  explicit BenchSelfTest(CLI::App& command);
  Result<int> run() override;

 private:
  std::vector<int> only_;
  std::vector<double> pace_ms_;  // of answers that are served instead; empty: points are run
  bool quick_ = false, json_ = false;
};

}  // namespace mie
