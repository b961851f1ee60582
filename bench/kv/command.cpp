#include "bench/kv/command.h"

#include "bench/chosen_isa.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace mie {
namespace {

constexpr int kExitValid = 0, kExitFailed = 1, kExitInvalidRun = 5;

bench::ResidentMode mode_of(const std::string& name) {
  if (name == "full") return bench::ResidentMode::kFull;
  return name == "off" ? bench::ResidentMode::kOff : bench::ResidentMode::kScaled;
}

}  // namespace

BenchKv::BenchKv(CLI::App& command) {
  command.add_flag("--json", options_.json, "print one JSON object");
  command
      .add_option(
          "--resident", resident_,
          "memory that is written to be measured: scaled: 86 MiB at a time, of 2 of the 24 layers; full: 1 GiB; off [scaled]")
      ->check(CLI::IsMember({"scaled", "full", "off"}));
  CLI::Option* time = command.add_flag(
      "--time", options_.time, "time a decode step for each block size; needs --model; exit 5 when others used the machine");
  CLI::Option* model = command.add_option("--model", options_.model, "GGUF file whose step is timed")->type_name("FILE");
  time->needs(model);
  model->needs(time);
  command.add_option("--threads", options_.n_threads, "compute threads of the timed steps; 0: one for each core")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
}

Result<int> BenchKv::run() {
  const auto isa = bench::chosen_isa();
  if (isa.has_error()) return isa.error();
  options_.isa = *isa;
  options_.resident = mode_of(resident_);
  const auto outcome = bench::run_kv(options_);
  if (outcome.has_error()) return outcome.error();
  std::fputs(outcome->text.c_str(), stdout);
  if (outcome->failed) return kExitFailed;
  return outcome->disturbed ? kExitInvalidRun : kExitValid;
}

}  // namespace mie
