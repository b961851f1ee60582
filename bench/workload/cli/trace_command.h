// `mie bench trace convert`: public traces of arrivals and lengths, made ours.
#pragma once

#include "bench/bench_command.h"

#include <string>

namespace mie {

class TraceBench final : public BenchSubcommand {
 public:
  explicit TraceBench(CLI::App& command);
  Result<int> run() override;

 private:
  std::string from_, path_, out_;
};

}  // namespace mie
