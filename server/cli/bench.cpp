#include "server/cli/bench.h"

#include "core/base/ensure.h"
#include "server/cli/bench_micro.h"
#include "server/cli/quality.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace mie {

template <class Subcommand>
void BenchCommand::add(CLI::App& command, const char* name, const char* help) {
  CLI::App& own = *command.add_subcommand(name, help);
  entries_.push_back({&own, std::make_unique<Subcommand>(own)});
}

BenchCommand::BenchCommand(CLI::App& command) {
  command.require_subcommand(1);
  add<BenchMicro>(command, "micro", "Kernels of the native backend against what this machine can do");
  add<QualityBench>(command, "quality", "Distance of the output distributions from the fp32 reference, on a text");
}

Result<int> BenchCommand::run() {
  const auto given = std::find_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.command->parsed(); });
  ENSURE(given != entries_.end(), "CLI11 requires a subcommand");
  return given->subcommand->run();
}

}  // namespace mie
