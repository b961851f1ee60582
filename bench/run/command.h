// `mie bench run` and `mie bench sweep`: a workload, or each cell of its [sweep] table, put to a server; a folder of results
// each. Exit code 0: valid; 1: valid, and fewer requests met their objectives than wanted; 5: invalid. On the main thread.
#pragma once

#include "bench/bench_command.h"
#include "bench/run/run.h"
#include "bench/run/target.h"
#include "bench/workload/spec_file.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mie {

class BenchRun final : public BenchSubcommand {
 public:
  explicit BenchRun(CLI::App& command);
  Result<int> run() override;

 private:
  [[nodiscard]] Result<std::unique_ptr<bench::Targets>> targets_of(const bench::WorkloadSpec& spec,
                                                                   const std::filesystem::path& folder) const;
  [[nodiscard]] Result<bench::RunSettings> settings_of(const bench::SpecFile& file, const std::string& run_id) const;
  [[nodiscard]] bool is_there(const bench::WorkloadSpec& spec) const;  // and says so
  [[nodiscard]] std::vector<std::string> command_line() const;

  bool sweeps_;
  std::string spec_, url_, model_, cost_model_, out_ = "bench-results";
  std::optional<bench::TargetKind> target_;  // unset: the workload's
  std::string arm_, members_;
  int first_repetition_ = 0;
  std::vector<std::string> server_flags_;
  bool no_probes_ = false, quiet_ = false, resume_ = false;
};

}  // namespace mie
