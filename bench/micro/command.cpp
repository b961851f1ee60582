#include "bench/micro/command.h"

#include "bench/chosen_isa.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace mie {
namespace {

constexpr int kExitValid = 0, kExitGateFailed = 1, kExitInvalidRun = 5;

}  // namespace

BenchMicro::BenchMicro(CLI::App& command) {
  command.add_option("names", options_.names, "parts of case names; none: all cases; probe: the probe alone")
      ->type_name("NAME");
  command.add_flag("--gates", options_.gates,
                   "judge the speed gates; exit 1 when one fails, 5 when the machine was not ours alone");
  command.add_flag("--json", options_.json, "print one JSON object");
  command.add_option("--model", options_.model, "GGUF file whose whole step is measured too")->type_name("FILE");
  command.add_option("--threads", options_.n_threads, "compute threads; 0: one for each core")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  command.add_option("--size", size_, "tiny: every line runs in seconds and no figure means anything")
      ->check(CLI::IsMember({"full", "tiny"}));
}

Result<int> BenchMicro::run() {
  const auto isa = bench::chosen_isa();
  if (isa.has_error()) return isa.error();
  options_.isa = *isa;
  options_.tiny = size_ == "tiny";
  const auto outcome = bench::run_micro(options_);
  if (outcome.has_error()) return outcome.error();
  std::fputs(outcome->text.c_str(), stdout);
  if (outcome->failed) return kExitGateFailed;
  return outcome->disturbed ? kExitInvalidRun : kExitValid;
}

}  // namespace mie
