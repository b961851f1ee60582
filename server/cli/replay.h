// `mie replay FILE`: runs the file of `mie serve --record` again and says whether the answers are the same; with
// --virtual-time also whether the plans are. Exit code 0 when all are, 1 with the first difference.
#pragma once

#include "server/cli/command_line.h"
#include "server/model_loader.h"
#include "server/record/replay.h"

#include <string>

namespace mie {

class ReplayCommand {
 public:
  explicit ReplayCommand(CLI::App& command);
  Result<int> run();  // the exit code; an error is exit code 2

 private:
  Result<ReplayOutcome> replay(const Record& record, const Config& config, const FlagTexts& given) const;

  ConfigFlags flags_;
  std::string file_;
  bool virtual_time_ = false;
  bool plans_only_ = false;
};

}  // namespace mie
