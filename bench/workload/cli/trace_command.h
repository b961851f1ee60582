// `mie bench trace`: traces of arrivals and lengths made ours. `convert`: of public ones; `capture`: of what our own server was
// asked.
#pragma once

#include "bench/bench_command.h"

#include <string>

namespace mie {

class TraceBench final : public BenchSubcommand {
 public:
  explicit TraceBench(CLI::App& command);
  Result<int> run() override;

 private:
  CLI::App* capture_;
  std::string from_, path_, out_;
  int block_ = 0;  // tokens; 0: the recorded engine's
};

}  // namespace mie
