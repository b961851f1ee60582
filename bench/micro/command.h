// `mie bench micro`: the native backend's kernels against what this machine can do (bench/micro/micro.h).
#pragma once

#include "bench/bench_command.h"
#include "bench/micro/micro.h"

namespace mie {

class BenchMicro final : public BenchSubcommand {
 public:
  explicit BenchMicro(CLI::App& command);
  Result<int> run() override;

 private:
  bench::MicroOptions options_;
  std::string size_ = "full";
};

}  // namespace mie
