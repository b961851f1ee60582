#include "bench/run/command.h"

#include "bench/engine/inproc_target.h"
#include "bench/engine/sim_target.h"
#include "bench/live/live_display.h"
#include "bench/result/result_files.h"
#include "bench/run/headline.h"
#include "bench/run/http_target.h"
#include "bench/run/load_of_spec.h"
#include "bench/run/resume.h"

#include <simdjson.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>

namespace mie {
namespace {

using bench::RunState;
using bench::TargetKind;
using bench::WorkloadSpec;

constexpr int kValid = 0, kNotAccepted = 1, kInvalid = 5;

std::map<std::string, TargetKind> kinds() {
  return {{"http", TargetKind::kHttp}, {"inproc", TargetKind::kInproc}, {"sim", TargetKind::kSim}};
}

Error bad(std::string message) { return {Errc::kConfig, std::move(message), ""}; }

Result<std::vector<std::pair<std::string, std::string>>> members_of(const std::string& json) {
  std::vector<std::pair<std::string, std::string>> members;
  if (json.empty()) return members;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(json).get(object) != simdjson::SUCCESS) return bad("--members: not an object: " + json);
  members.reserve(object.size());
  for (const auto [name, value] : object) members.emplace_back(name, simdjson::minify(value));
  return members;
}

// An absolute path as seen from the current folder, or its file alone where it lies outside.
std::string portable(const std::filesystem::path& path) {
  if (path.is_relative()) return path.string();
  const auto inside = path.lexically_relative(std::filesystem::current_path());
  return (inside.native().starts_with("..") ? path.filename() : inside).string();
}

}  // namespace

BenchRun::BenchRun(CLI::App& command) : sweeps_(command.get_name() == "sweep") {
  command.add_option("SPEC", spec_, "workload, as those in conf/workloads")->required()->type_name("");
  CLI::Option* url = command.add_option("--url", url_, "a server that runs: http://HOST:PORT")->type_name("URL");
  CLI::Option* model =
      command.add_option("--model", model_, "start mie serve with this model for each load")->type_name("FILE");
  model->excludes(url);
  command.add_option("--arm", arm_, "what the server at --url is called in the result")->type_name("NAME")->needs(url);
  command.add_option("--repetition", first_repetition_, "what the first load is counted as, where others were run before [0]")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--members", members_, "object whose members each request has more: what a server wants that others do not")
      ->type_name("JSON");
  command
      .add_option(
          "--target", target_,
          "who answers: http, inproc (the engine in this process), or sim (the engine on a virtual clock) [the workload's]")
      ->type_name("KIND")
      ->transform(CLI::CheckedTransformer(kinds()));
  command.add_option("--cost-model", cost_model_, "what a step costs on target sim, as bench/analysis/run fit writes it")
      ->type_name("FILE");
  command.add_option("--out", out_, "folder of results; each run has one of its own in it [bench-results]")->type_name("DIR");
  command.add_flag("--no-probes", no_probes_, "do not probe this machine before and after: for servers elsewhere");
  command.add_flag("--resume", resume_, "pass over what has a valid result in DIR");
  command.add_flag("--quiet", quiet_, "show nothing while loads run");
  command.add_option("FLAGS", server_flags_, "flags of mie serve, after --")->type_name("")->expected(-1);
}

Result<int> BenchRun::run() {
  const auto file = bench::load_spec_file(spec_);
  if (file.has_error()) return file.error();
  if (file->swept && !sweeps_) return bad(spec_ + " has a [sweep] table: mie bench sweep runs its cells");
  if (!file->swept && sweeps_) return bad(spec_ + " has no [sweep] table: mie bench run runs it");
  bench::Interrupt interrupt;
  bench::LiveDisplay display(stderr);
  bench::Watcher nobody;
  int code = kValid;
  for (const WorkloadSpec& spec : file->cells) {
    if (interrupt.requested()) break;
    if (resume_ && is_there(spec)) continue;
    const std::string run_id = bench::new_run_id();
    const auto targets = targets_of(spec, std::filesystem::path(out_) / run_id);
    if (targets.has_error()) return targets.error();
    auto settings = settings_of(*file, run_id);
    if (settings.has_error()) return settings.error();
    const auto result = bench::run_workload(spec, *settings, **targets, {interrupt, quiet_ ? nobody : display});
    if (result.has_error()) return result.error();
    if (const auto error = bench::write_result(*result, settings->folder)) return *error;
    std::printf("%s  %s\n", bench::headline(*result).c_str(), settings->folder.c_str());
    std::fflush(stdout);
    if (result->validity.state != RunState::kOk) code = kInvalid;
    if (code == kValid && !bench::accepted(*result)) code = kNotAccepted;
  }
  return code;
}

bool BenchRun::is_there(const WorkloadSpec& spec) const {
  const auto there = bench::valid_result(out_, bench::spec_sha256(spec));
  if (there) std::printf("%s: is there  %s\n", spec.name.c_str(), there->c_str());
  return there.has_value();
}

Result<std::unique_ptr<bench::Targets>> BenchRun::targets_of(const WorkloadSpec& spec,
                                                             const std::filesystem::path& folder) const {
  const TargetKind kind = target_.value_or(spec.target.kind);
  if (kind == TargetKind::kInproc) {
    if (model_.empty()) return bad(spec.name + ": target inproc: give --model");
    return std::unique_ptr<bench::Targets>(std::make_unique<bench::InprocTargets>());
  }
  if (kind == TargetKind::kSim) {
    if (cost_model_.empty()) return bad(spec.name + ": target sim: give --cost-model");
    auto cost = bench::read_cost_model(cost_model_);
    if (cost.has_error()) return cost.error();
    return std::unique_ptr<bench::Targets>(std::make_unique<bench::SimTargets>(std::move(*cost)));
  }
  const std::string url = url_.empty() && model_.empty() ? spec.target.url : url_;
  if (url.empty() && model_.empty()) return bad("no server: give --url, --model, or target.url in " + spec_);
  if (!url.empty() && !spec.arms.empty()) return bad(spec.name + ": arms are servers of our own: give --model");
  auto fields = bench::header_fields(spec.target);
  if (fields.has_error()) return fields.error();
  return std::unique_ptr<bench::Targets>(
      std::make_unique<bench::HttpTargets>(url, std::move(*fields), folder, spec.target.model));
}

Result<bench::RunSettings> BenchRun::settings_of(const bench::SpecFile& file, const std::string& run_id) const {
  auto members = members_of(members_);
  if (members.has_error()) return members.error();
  bench::RunSettings settings{.run_id = run_id,
                              .workload_folder = file.folder,
                              .workload_text = file.verbatim,
                              .command_line = command_line(),
                              .arm = arm_,
                              .first_repetition = first_repetition_,
                              .members = std::move(*members),
                              .probes = !no_probes_};
  if (!model_.empty()) settings.server_flags = {"--model", model_};
  settings.server_flags.insert(settings.server_flags.end(), server_flags_.begin(), server_flags_.end());
  settings.folder = std::filesystem::path(out_) / settings.run_id;
  std::error_code failed;
  std::filesystem::create_directories(settings.folder, failed);
  if (failed) return bad(settings.folder.string() + ": " + failed.message());
  return settings;
}

// What runs it again; where a model lies is each machine's own matter.
std::vector<std::string> BenchRun::command_line() const {
  std::vector<std::string> words = {"mie", "bench", sweeps_ ? "sweep" : "run", portable(spec_)};
  if (!url_.empty()) words.insert(words.end(), {"--url", url_});
  if (!arm_.empty()) words.insert(words.end(), {"--arm", arm_});
  if (first_repetition_ > 0) words.insert(words.end(), {"--repetition", std::to_string(first_repetition_)});
  if (!members_.empty()) words.insert(words.end(), {"--members", members_});
  if (!model_.empty()) words.insert(words.end(), {"--model", std::filesystem::path(model_).filename().string()});
  if (target_) words.insert(words.end(), {"--target", std::string(bench::name_of(*target_))});
  if (!cost_model_.empty()) words.insert(words.end(), {"--cost-model", std::filesystem::path(cost_model_).filename().string()});
  if (!server_flags_.empty()) words.emplace_back("--");
  words.insert(words.end(), server_flags_.begin(), server_flags_.end());
  return words;
}

}  // namespace mie
