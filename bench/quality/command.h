// `mie bench quality`: reads a text with a reference (libtorch in fp32) and with the chosen backend, side by side in one
// process, and prints how far their next-token distributions are apart. On the main thread.
#pragma once

#include "bench/bench_command.h"
#include "bench/quality/report.h"
#include "server/cli/command_line.h"

#include <string>

namespace mie {

class QualityBench final : public BenchSubcommand {
 public:
  explicit QualityBench(CLI::App& command);
  Result<int> run() override;

 private:
  // `given`: the flags of the command line.
  [[nodiscard]] Result<quality::QualityReport> measure(const Config& config, const FlagTexts& given) const;

  ConfigFlags flags_;
  std::string text_file_, reference_ = "torch", json_file_;
  int n_positions_ = 2000;
  int chunk_ = 512;
};

}  // namespace mie
