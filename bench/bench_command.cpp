#include "bench/bench_command.h"

#include "bench/diff/command.h"
#include "bench/kv/command.h"
#include "bench/metrics/command.h"
#include "bench/micro/command.h"
#include "bench/quality/command.h"
#include "bench/run/analysis_command.h"
#include "bench/run/command.h"
#include "bench/selftest/command.h"
#include "bench/workload/cli/expand_command.h"
#include "bench/workload/cli/trace_command.h"
#include "bench/workload/cli/validate_command.h"
#include "core/base/ensure.h"
#include "server/cli/command_line.h"

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
  add<BenchAnalysis>(command, "compare", "Results beside each other: ratio, interval and verdict of each metric");
  add<DiffCommand>(command, "diff", "Where two arrangements first differ: layer, position, tensor (also as mie diff)");
  add<ExpandBench>(command, "expand", "The requests that a workload specification means, and their hash");
  add<BenchAnalysis>(command, "knee",
                     "Where a server saturates: searched for with a workload, or told of the results of a sweep");
  add<BenchKv>(command, "kv", "What a KV cache holds and wastes for each block size, counted in three ways");
  add<MetricsBench>(command, "metrics", "What the figures mean: docs/metrics.md");
  add<BenchMicro>(command, "micro", "Kernels of the native backend against what this machine can do");
  add<QualityBench>(command, "quality", "Distance of the output distributions from the fp32 reference, on a text");
  add<BenchAnalysis>(command, "report", "Tables and plots of results: report.html, report.md, summary.csv");
  add<BenchRun>(command, "run", "A workload put to a server: figures with their workload, in a folder of results");
  add<BenchSelfTest>(command, "selftest", "Measures what is known: figures, statuses, stalls, and how fast the load client is");
  add<BenchRun>(command, "sweep", "The same for each cell of the workload's [sweep] table");
  add<TraceBench>(command, "trace", "Traces of arrivals and lengths");
  add<ValidateBench>(command, "validate", "Whether a file is what its schema says");
}

Result<int> BenchCommand::run() {
  const auto given = std::find_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.command->parsed(); });
  ENSURE(given != entries_.end(), "CLI11 requires a subcommand");
  return given->subcommand->run();
}

int run_bench_program(int argc, char** argv) {
  CLI::App app("Measures this machine and Mini Inference Engine.", "mie bench");
  BenchCommand command(app);
  return run_parsed(app, argc, argv, [&command] { return command.run(); });
}

}  // namespace mie
