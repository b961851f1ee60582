// The command line of `mie`: which command, which flags. Parses with CLI11; says in one line what is wrong.
#pragma once

#include "server/config.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mie {

// Adds a flag for each option of `scope` to a command and remembers which were given.
class ConfigFlags {
 public:
  ConfigFlags(CLI::App& command, ConfigOption::Scope scope);
  ~ConfigFlags();

  // After parsing. Empty path: --config was not given.
  [[nodiscard]] ConfigSources sources() const;

 private:
  struct Bound;
  std::vector<std::unique_ptr<Bound>> bound_;
  std::string file_;
};

// Merges, prints warnings, and starts the log. Error kConfig.
Result<Config> configure(const ConfigSources& sources);

// Runs `mie`; the exit code.
int run_command_line(int argc, char** argv);

}  // namespace mie
