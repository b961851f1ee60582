// `mie diff`: runs one prompt in two arrangements and says where they first differ, by how much, and whether rounding
// explains it. Exit code 0: nothing beyond expectation; 1: they diverge; 2: wrong flags or files. On the main thread.
#pragma once

#include "bench/bench_command.h"
#include "bench/diff/drive.h"
#include "bench/diff/mode.h"
#include "server/cli/command_line.h"

#include <string>
#include <vector>

namespace mie {

class DiffCommand final : public BenchSubcommand {
 public:
  explicit DiffCommand(CLI::App& command);
  Result<int> run() override;

 private:
  [[nodiscard]] Result<std::vector<TokenId>> prompt(const Config& config) const;
  [[nodiscard]] Result<int> compare_sides(const Config& config) const;

  ConfigFlags flags_;
  std::string a_ = "native", b_, prompt_, prompt_file_, save_a_;
  std::vector<int> ids_;
  int n_tokens_ = 8;
  bool all_tensors_ = false;
};

}  // namespace mie
