#include "server/cli/replay.h"

#include "core/base/log.h"
#include "server/engine_setup.h"
#include "server/exit_codes.h"
#include "server/record/record_header.h"
#include "server/record/record_lines.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <limits>

namespace mie {
namespace {

Result<Record> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{Errc::kConfig, "cannot read " + path, ""};
  auto record = read_record(in);
  if (record.has_error()) return Error{Errc::kConfig, path + ": " + record.error().message, ""};
  return record;
}

// Whether a flag says how many blocks there are; else the recording does.
bool sized(const FlagTexts& given) {
  return given.contains("kv-cache-memory") || given.contains("block-size") || given.contains("max-model-len");
}

// As many blocks and tokens as recorded, and no model.
LoadedModel without_model(const RecordHeader& header, const Config& config) {
  LoadedModel model;
  model.served.names = {header.model_name};
  model.served.n_vocab = header.n_vocab;
  model.served.max_model_len = config.max_model_len;
  model.n_blocks = header.n_blocks;
  model.block_size = header.block_size;
  model.row_time = header.row_time;
  return model;
}

ReplayOutcome run_virtual(const Record& record, const Config& config, const LoadedModel& model) {
  const auto scheduler = make_scheduler(parse_scheduler(config.sched).value());  // checked with the configuration
  return replay_in_virtual_time(record, engine_options(config, model), *scheduler, model.runner.get());
}

ReplayOutcome run_live(const Record& record, Config config, LoadedModel model) {
  config.max_queue = std::numeric_limits<int>::max();  // all of these were accepted
  config.max_queue_tokens = std::numeric_limits<std::int64_t>::max();
  const SystemClock clock;
  MetricsRegistry registry;
  ServingModel serving(std::move(model), config, clock, registry,
                       [](const std::string& reason) { logger("engine")->critical("fatal=\"{}\"", reason); });
  return replay_in_real_time(record, serving.engine(), clock);
}

int tell(const ReplayOutcome& outcome) {
  std::printf("%d requests, %lld tokens", outcome.n_requests, static_cast<long long>(outcome.n_tokens));
  if (outcome.n_steps > 0) std::printf(", %lld steps", static_cast<long long>(outcome.n_steps));
  if (!outcome.first) {
    std::puts(": the same");
    return kExitClean;
  }
  std::printf(": %d different\n", outcome.n_different);
  std::fprintf(stderr, "mie: %s\n", outcome.first->c_str());
  return kExitRequestFailed;
}

}  // namespace

ReplayCommand::ReplayCommand(CLI::App& command) : flags_(command, ConfigOption::Scope::kModel) {
  command.add_option("FILE", file_, "file of mie serve --record")->required();
  auto* virtual_time =
      command.add_flag("--virtual-time", virtual_time_, "step by step as recorded; the plans must be the same");
  command.add_flag("--plans-only", plans_only_, "take the answers from the recording: no model is needed")->needs(virtual_time);
}

Result<ReplayOutcome> ReplayCommand::replay(const Record& record, const Config& config, const FlagTexts& given) const {
  if (plans_only_) return run_virtual(record, config, without_model(record.header, config));
  auto model = load_model(config, SystemClock(), [](std::string_view, double) {});
  if (model.has_error()) return model.error();
  if (model->served.fingerprint != record.header.fingerprint) {
    logger("replay")->warn("recorded on {} ({}), replayed on {} ({}): tokens may differ", record.header.model_name,
                           record.header.fingerprint, model->served.names.front(), model->served.fingerprint);
  }
  if (auto error = match_recorded(record.header, sized(given), *model)) return *std::move(error);
  if (virtual_time_) return run_virtual(record, config, *model);
  return run_live(record, config, std::move(*model));
}

Result<int> ReplayCommand::run() {
  const auto record = read_file(file_);
  if (record.has_error()) return record.error();
  ConfigSources sources = flags_.sources();
  const FlagTexts given = sources.flags;
  sources.flags.try_emplace("log-level", "warn");
  add_recorded_settings(record->header, sources);
  const auto config = configure(sources);
  if (config.has_error()) return config.error();
  const auto outcome = replay(*record, *config, given);
  if (outcome.has_error()) return outcome.error();
  return tell(*outcome);
}

}  // namespace mie
