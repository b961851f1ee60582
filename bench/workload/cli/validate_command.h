// `mie bench validate`: whether a file is what its `schema` says.
#pragma once

#include "bench/bench_command.h"

#include <string>

namespace mie {

class ValidateBench final : public BenchSubcommand {
 public:
  explicit ValidateBench(CLI::App& command);
  Result<int> run() override;

 private:
  std::string path_;
};

}  // namespace mie
