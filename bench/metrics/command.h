// `mie bench metrics`: the glossary.
#pragma once

#include "bench/bench_command.h"

namespace mie {

class MetricsBench final : public BenchSubcommand {
 public:
  explicit MetricsBench(CLI::App& command);
  Result<int> run() override;
};

}  // namespace mie
