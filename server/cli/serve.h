// `mie serve`.
#pragma once

#include "server/cli/command_line.h"

namespace mie {

class ServeCommand {
 public:
  explicit ServeCommand(CLI::App& command);
  Result<int> run();  // the exit code; an error is exit code 2

 private:
  ConfigFlags flags_;
  bool check_only_ = false;
};

}  // namespace mie
