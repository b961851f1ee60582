// One workload put to a target, load by load: warm-up, load, counters, probes, checks, verdict. Blocks for as long as the
// workload takes; one thread.
#pragma once

#include "bench/result/run_result.h"
#include "bench/run/interrupt.h"
#include "bench/run/target.h"
#include "bench/run/watcher.h"
#include "core/base/error.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mie::bench {

struct RunSettings {
  std::string run_id{};
  std::vector<std::string> server_flags{};  // of `mie serve`, before those of its arm
  std::filesystem::path folder{};           // of the result, and where servers log
  std::filesystem::path workload_folder{};  // that paths of the specification are relative to
  std::string workload_text{};              // as in its file
  std::vector<std::string> command_line{};
  std::string arm{};                                           // what a server at `url` is called in the result
  int first_repetition = 0;                                    // what the first load is counted as
  std::vector<std::pair<std::string, std::string>> members{};  // of every request more: name, JSON text
  bool probes = true;
};

// Who looks on and who may stop it.
struct Onlookers {
  Interrupt& interrupt;
  Watcher& watcher;
};

// Errors: kConfig: the specification does not expand, the target cannot be started or asked. What a load itself meets is in the
// result.
[[nodiscard]] Result<RunResult> run_workload(const WorkloadSpec& spec, const RunSettings& settings, Targets& targets,
                                             const Onlookers& onlookers);

}  // namespace mie::bench
