#include "server/cli/command_line.h"

#include "core/base/build_info.h"
#include "server/cli/bench.h"
#include "server/cli/generate.h"
#include "server/cli/replay.h"
#include "server/cli/serve.h"
#include "server/cli/trace.h"
#include "server/exit_codes.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>

extern char** environ;

namespace mie {
namespace {

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::string unit_name(ConfigOption::Kind kind) {
  switch (kind) {
    case ConfigOption::Kind::kText:
      return "TEXT";
    case ConfigOption::Kind::kInteger:
      return "N";
    case ConfigOption::Kind::kSize:
      return "SIZE";
    case ConfigOption::Kind::kDuration:
      return "TIME";
    case ConfigOption::Kind::kFlag:
      return "";
  }
  return "";
}

std::string version_text() {
  const BuildInfo build = build_info();
  return fmt::format("mie {} (commit {}, {}, {})", build.version, build.commit, build.compiler, build.build_type);
}

}  // namespace

struct ConfigFlags::Bound {
  std::string name;
  std::string text;
  bool on = false;
  CLI::Option* option = nullptr;
  bool is_flag = false;
};

ConfigFlags::ConfigFlags(CLI::App& command, ConfigOption::Scope scope) {
  command.add_option("--config", file_, "TOML file of settings; keys are flag names with _ for -")->type_name("FILE");
  const Config defaults;
  for (const ConfigOption& option : config_options()) {
    if (option.scope == ConfigOption::Scope::kServe && scope == ConfigOption::Scope::kModel) continue;
    auto& bound = *bound_.emplace_back(std::make_unique<Bound>());
    bound.name = option.name;
    bound.is_flag = option.kind == ConfigOption::Kind::kFlag;
    const std::string flag = "--" + bound.name;
    const std::string help = fmt::format("{} [{}]", option.help, option.show(defaults));
    if (bound.is_flag)
      bound.option = command.add_flag(flag + ",!--no-" + bound.name, bound.on, help);
    else
      bound.option = command.add_option(flag, bound.text, help)->type_name(unit_name(option.kind));
  }
}

ConfigFlags::~ConfigFlags() = default;

ConfigSources ConfigFlags::sources() const {
  ConfigSources sources;
  sources.environment = environment();
  const char* from_environment = std::getenv("MIE_CONFIG");
  sources.file = !file_.empty() || from_environment == nullptr ? file_ : from_environment;
  for (const auto& bound : bound_) {
    if (bound->option->count() == 0) continue;
    sources.flags[bound->name] = bound->is_flag ? (bound->on ? "true" : "false") : bound->text;
  }
  return sources;
}

Result<Config> configure(const ConfigSources& sources) {
  auto merged = merge_config(sources);
  if (merged.has_error()) return merged.error();
  try {
    configure_logging(merged->config.log);
  } catch (const spdlog::spdlog_ex& error) {
    return Error{Errc::kConfig, std::string("--log-file: ") + error.what(), "log-file"};
  }
  for (const std::string& warning : merged->warnings) logger("config")->warn("{}", warning);
  return std::move(merged->config);
}

int run_parsed(CLI::App& app, int argc, char** argv, const std::function<Result<int>()>& run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "mie: %s (see %s --help)\n", error.what(), app.get_name().c_str());
    return kExitConfig;
  }
  const auto outcome = run();
  if (outcome.has_error()) {
    std::fprintf(stderr, "mie: %s\n", outcome.error().message.c_str());
    return kExitConfig;
  }
  return *outcome;
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Mini Inference Engine: serves language models over HTTP with server-sent events.", "mie");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  CLI::App& serve = *app.add_subcommand("serve", "Serve a model over HTTP");
  CLI::App& generate = *app.add_subcommand("generate", "Generate in the terminal, without a server");
  CLI::App& replay = *app.add_subcommand("replay", "Run a recording again and compare the answers");
  CLI::App& trace = *app.add_subcommand("trace", "Look at what a server's steps did");
  // For --help: their flags are another program's.
  app.add_subcommand("bench", "Measure this machine and this program");
  app.add_subcommand("diff", "Find where two arrangements of a model first differ");
  if (argc > 1 && std::string_view(argv[1]) == "bench") return run_bench(argv + 1);
  if (argc > 1 && std::string_view(argv[1]) == "diff") return run_bench(argv);
  ServeCommand serve_command(serve);
  GenerateCommand generate_command(generate);
  ReplayCommand replay_command(replay);
  TraceCommand trace_command(trace);
  return run_parsed(app, argc, argv, [&] {
    if (serve.parsed()) return serve_command.run();
    if (replay.parsed()) return replay_command.run();
    if (trace.parsed()) return trace_command.run();
    return generate_command.run();
  });
}

}  // namespace mie
