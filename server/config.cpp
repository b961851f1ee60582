#include "server/config.h"

#include "core/base/ensure.h"
#include "server/listener.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace mie {
namespace {

struct Setting {
  std::string text;
  std::string origin;  // "--port", "MIE_PORT", "mie.toml:3: port"
};
using Settings = std::map<std::string_view, Setting>;

const ConfigOption* find_option(std::string_view name) {
  const auto options = config_options();
  const auto at = std::find_if(options.begin(), options.end(), [name](const ConfigOption& o) { return o.name == name; });
  return at == options.end() ? nullptr : &*at;
}

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

std::string replaced(std::string_view name, char from, char to) {
  std::string out(name);
  std::replace(out.begin(), out.end(), from, to);
  return out;
}

std::string environment_name(std::string_view option) {
  std::string name = "MIE_" + replaced(option, '-', '_');
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return name;
}

// The value as the command line would write it; nothing for a type that the option does not take.
std::optional<std::string> toml_text(const toml::node& node, ConfigOption::Kind kind) {
  using Kind = ConfigOption::Kind;
  if (const auto flag = node.value_exact<bool>()) {
    return kind == Kind::kFlag ? std::optional<std::string>(*flag ? "true" : "false") : std::nullopt;
  }
  if (const auto number = node.value_exact<std::int64_t>()) {
    const bool takes = kind == Kind::kInteger || kind == Kind::kSize || kind == Kind::kDuration;
    return takes ? std::optional(std::to_string(*number)) : std::nullopt;
  }
  if (const auto text = node.value_exact<std::string>()) {
    const bool takes = kind == Kind::kText || kind == Kind::kSize || kind == Kind::kDuration;
    return takes ? std::optional(*text) : std::nullopt;
  }
  return {};
}

std::string_view kind_name(ConfigOption::Kind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {"a string", "an integer", "a size (string or integer)",
                                                             "a duration (string or integer)", "a boolean"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<Settings> read_file(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  Settings settings;
  try {
    const toml::table table = toml::parse_file(path);
    for (const auto& [key, node] : table) {
      const std::string at = fmt::format("{}:{}: {}", name, node.source().begin.line, key.str());
      const ConfigOption* option = find_option(replaced(key.str(), '_', '-'));
      if (option == nullptr || key.str().find('-') != std::string_view::npos) return bad(at + " is not a setting");
      auto text = toml_text(node, option->kind);
      if (!text) return bad(fmt::format("{} must be {}", at, kind_name(option->kind)));
      settings[option->name] = {*std::move(text), at};
    }
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    if (line == 0) return bad(fmt::format("{}: {}", name, error.description()));
    return bad(fmt::format("{}:{}: {}", name, line, error.description()));
  }
  return settings;
}

void read_environment(const std::vector<std::string>& environment, Settings& settings, std::vector<std::string>& warnings) {
  static constexpr std::array<std::string_view, 2> kOthers = {"MIE_CONFIG", "MIE_ISA"};
  for (const std::string& entry : environment) {
    if (!entry.starts_with("MIE_")) continue;
    const auto equals = std::min(entry.find('='), entry.size());
    const std::string name = entry.substr(0, equals);
    const auto options = config_options();
    const auto at =
        std::find_if(options.begin(), options.end(), [&](const ConfigOption& o) { return environment_name(o.name) == name; });
    if (at != options.end())
      settings[at->name] = {entry.substr(std::min(equals + 1, entry.size())), name};
    else if (std::find(kOthers.begin(), kOthers.end(), name) == kOthers.end())
      warnings.push_back("unknown variable " + name);
  }
}

}  // namespace

Result<MergedConfig> merge_config(const ConfigSources& sources) {
  MergedConfig merged;
  Settings settings;
  if (!sources.file.empty()) {
    auto from_file = read_file(sources.file);
    if (from_file.has_error()) return from_file.error();
    settings = std::move(*from_file);
  }
  read_environment(sources.environment, settings, merged.warnings);
  for (const auto& [name, text] : sources.flags) {
    const ConfigOption* option = find_option(name);
    ENSURE(option != nullptr, "flag without an option");
    settings[option->name] = {text, "--" + name};
  }
  for (const auto& [name, setting] : settings) {
    if (const auto expected = find_option(name)->set(merged.config, setting.text)) {
      return bad(fmt::format("{} must be {}, got \"{}\"", setting.origin, *expected, setting.text));
    }
  }
  return merged;
}

std::optional<Error> check_config(const Config& config) {
  if (config.model.empty()) return bad("--model is required");
  const auto local = Listener::is_local(config.listen);
  if (local.has_error()) return local.error();
  if (!*local && !config.insecure_no_auth) {
    return bad("--host " + config.listen.host +
               " is reachable from other machines and there are no keys: give --insecure-no-auth to allow it");
  }
  return {};
}

std::string show_config(const Config& config) {
  std::string out;
  for (const ConfigOption& option : config_options()) {
    out += replaced(option.name, '-', '_') + " = " + option.show(config) + '\n';
  }
  return out;
}

}  // namespace mie
