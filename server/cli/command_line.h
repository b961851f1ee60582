// The command line of `mie`: which command, which flags. Parses with CLI11; says in one line what is wrong.
#pragma once

#include "server/config.h"

#include <functional>
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

// Parses, then runs; the exit code. What is wrong is one line on stderr.
int run_parsed(CLI::App& app, int argc, char** argv, const std::function<Result<int>()>& run);

// Runs `mie`; the exit code.
int run_command_line(int argc, char** argv);

}  // namespace mie
