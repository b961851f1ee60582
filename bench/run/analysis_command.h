// `mie bench report`, `compare`, `knee` and `campaign`: statistics, plots and pages of result folders are bench/analysis, which
// this starts in its own Python environment; the search for a knee runs its loads by this program. Does not return where that
// can be started.
#pragma once

#include "bench/bench_command.h"

namespace mie {

class BenchAnalysis final : public BenchSubcommand {
 public:
  explicit BenchAnalysis(CLI::App& command);
  Result<int> run() override;

 private:
  CLI::App& command_;  // its name is the analysis's too
};

}  // namespace mie
