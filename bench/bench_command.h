// `mie bench`: measurements of this program, one subcommand each. A new one is a class of its own and a line in
// bench_command.cpp.
#pragma once

#include "core/base/error.h"

#include <memory>
#include <vector>

namespace CLI {
class App;
}

namespace mie {

// Made with the command that carries its flags; run() after parsing, if that command was given.
class BenchSubcommand {
 public:
  virtual ~BenchSubcommand() = default;
  virtual Result<int> run() = 0;  // the exit code; an error is exit code 2
};

class BenchCommand {
 public:
  explicit BenchCommand(CLI::App& command);
  Result<int> run();

 private:
  template <class Subcommand>
  void add(CLI::App& command, const char* name, const char* help);

  struct Entry {
    CLI::App* command;
    std::unique_ptr<BenchSubcommand> subcommand;
  };
  std::vector<Entry> entries_;
};

// Runs `mie-bench`; the exit code.
int run_bench_program(int argc, char** argv);

}  // namespace mie
