#include "server/cli/serve.h"

#include "server/app.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace mie {

ServeCommand::ServeCommand(CLI::App& command) : flags_(command, ConfigOption::Scope::kServe) {
  command.add_flag("--check-config", check_only_, "print the merged settings and exit");
}

Result<int> ServeCommand::run() {
  const auto config = configure(flags_.sources());
  if (config.has_error()) return config.error();
  if (auto error = check_config(*config)) return *std::move(error);
  if (check_only_) {
    std::fputs(show_config(*config).c_str(), stdout);
    return kExitClean;
  }
  App app(*config);
  if (auto error = app.open()) return *std::move(error);
  return app.run();
}

}  // namespace mie
