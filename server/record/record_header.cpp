#include "server/record/record_header.h"

#include "core/base/build_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mie {
namespace {

// Settings of `mie generate`, which are those of the model and the engine but for one, without those of the log.
bool recorded(const ConfigOption& option) {
  const bool of_engine = option.scope == ConfigOption::Scope::kModel || option.name == "priority-ageing";
  return of_engine && !option.name.starts_with("log-");
}

// show() writes TOML; a flag has neither quotes nor escapes.
std::string flag_text(const std::string& shown) {
  if (!shown.starts_with('"')) return shown;
  std::string text;
  for (std::size_t i = 1; i + 1 < shown.size(); ++i) {
    if (shown[i] == '\\') ++i;
    text += shown[i];
  }
  return text;
}

}  // namespace

RecordHeader record_header(const Config& config, const LoadedModel& model) {
  RecordHeader header;
  header.version = build_info().version;
  header.commit = build_info().commit;
  header.model_name = model.served.names.front();
  header.fingerprint = model.served.fingerprint;
  header.n_vocab = model.served.n_vocab;
  header.n_blocks = model.n_blocks;
  header.block_size = model.block_size;
  header.row_time = model.row_time;
  for (const ConfigOption& option : config_options()) {
    if (recorded(option)) header.settings.emplace(option.name, flag_text(option.show(config)));
  }
  header.settings["max-model-len"] = std::to_string(model.served.max_model_len);
  return header;
}

void add_recorded_settings(const RecordHeader& header, ConfigSources& sources) {
  const auto options = config_options();
  for (const auto& [name, text] : header.settings) {
    const bool known = std::any_of(options.begin(), options.end(), [&](const ConfigOption& o) { return o.name == name; });
    if (known && !text.empty()) sources.flags.try_emplace(name, text);  // empty: the default
  }
}

std::optional<Error> match_recorded(const RecordHeader& header, bool sized, LoadedModel& model) {
  model.row_time = header.row_time;
  if (sized) return {};
  if (model.n_blocks < header.n_blocks || model.block_size != header.block_size) {
    return Error{Errc::kConfig,
                 fmt::format("the recording has {} KV blocks of {} tokens, and here are {} of {}: give --kv-cache-memory",
                             header.n_blocks, header.block_size, model.n_blocks, model.block_size),
                 ""};
  }
  model.n_blocks = header.n_blocks;
  return {};
}

}  // namespace mie
