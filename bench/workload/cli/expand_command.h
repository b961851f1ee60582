// `mie bench expand`: the list of requests that a specification means, and its hash.
#pragma once

#include "bench/bench_command.h"

#include <string>

namespace mie {

class ExpandBench final : public BenchSubcommand {
 public:
  explicit ExpandBench(CLI::App& command);
  Result<int> run() override;

 private:
  std::string path_;
  std::string format_ = "summary";
};

}  // namespace mie
