#include "bench/engine/engine_config.h"

#include "server/cli/command_line.h"

#include <CLI/CLI.hpp>

namespace mie::bench {

Result<Config> serve_config(const std::vector<std::string>& flags) {
  CLI::App app("flags of mie serve");
  const ConfigFlags given(app, ConfigOption::Scope::kServe);
  try {
    app.parse(std::vector<std::string>(flags.rbegin(), flags.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    return Error{Errc::kConfig, error.what(), ""};
  }
  ConfigSources sources = given.sources();
  sources.flags.try_emplace("log-level", "warn");
  auto config = configure(sources);
  if (config.has_error()) return config;
  if (auto error = check_config(*config)) return *std::move(error);
  return config;
}

}  // namespace mie::bench
