#include "bench/run/run.h"

#include "bench/load/expected_answers.h"
#include "bench/load/stamp_clock.h"
#include "bench/metrics/aggregates.h"
#include "bench/run/checks.h"
#include "bench/run/load_of_spec.h"
#include "bench/run/own_server.h"
#include "bench/run/server_poll.h"
#include "bench/run/validity.h"
#include "bench/workload/expand/expand.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace mie::bench {
namespace {

// The order of loads: repetition by repetition with the arms forth and back, so that what drifts falls on all alike; or arm by
// arm.
std::vector<std::pair<int, int>> order_of(const RepetitionsSpec& spec, int n_arms) {
  std::vector<std::pair<int, int>> order;  // arm, repetition
  for (int i = 0; i < spec.n * n_arms; ++i) {
    const bool interleaved = spec.order == RepetitionOrder::kInterleaved;
    const int repetition = interleaved ? i / n_arms : i % spec.n;
    const int arm = interleaved ? i % n_arms : i / spec.n;
    order.emplace_back(interleaved && repetition % 2 == 1 ? n_arms - 1 - arm : arm, repetition);
  }
  return order;
}

native::ProbeResult probe_machine() {
  native::ThreadPool pool(static_cast<int>(native::allowed_cores().size()), {});
  return native::probe(pool, native::ProbeLength::kShort, native::best_isa());
}

// VmHWM of /proc: the most that was resident.
std::optional<std::int64_t> peak_resident(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return std::nullopt;
}

// Where files lie is each machine's own matter: a result names them.
std::vector<std::string> without_folders(std::vector<std::string> flags) {
  for (std::string& flag : flags) {
    if (flag.starts_with('/')) flag = std::filesystem::path(flag).filename().string();
  }
  return flags;
}

class Run {
 public:
  Run(const WorkloadSpec& spec, const RunSettings& settings, Interrupt& interrupt, Watcher& watcher)
      : spec_(spec), settings_(settings), interrupt_(interrupt), watcher_(watcher), arms_(spec.arms) {
    if (arms_.empty()) arms_.push_back({.name = settings.arm, .server = {}});
    own_.resize(arms_.size());
  }

  Result<RunResult> go() {
    auto expanded = expand(spec_, settings_.workload_folder);
    if (expanded.has_error()) return expanded.error();
    auto fields = header_fields(spec_.target);
    if (fields.has_error()) return fields.error();
    fields_ = std::move(*fields);
    if (const std::string& file = spec_.checks.expected_tokens_file; !file.empty()) {
      auto expected = read_expected_answers(settings_.workload_folder / file);
      if (expected.has_error()) return expected.error();
      expected_ = std::move(*expected);
    }
    begin(expanded->sha256());
    const auto before = expanded->before_load(), load = expanded->load();
    warmup_.assign(before.begin(), before.end());
    load_.assign(load.begin(), load.end());
    if (settings_.probes) result_.probe_before = probe_machine();
    const auto order = order_of(spec_.repetitions, static_cast<int>(arms_.size()));
    for (const auto& [arm, repetition] : order) {
      if (interrupt_.requested()) break;
      title_ = {spec_.name, arms_[static_cast<std::size_t>(arm)].name, title_.number + 1, static_cast<int>(order.size())};
      if (auto error = one_load(static_cast<std::size_t>(arm), settings_.first_repetition + repetition)) return *error;
    }
    if (settings_.probes) result_.probe_after = probe_machine();
    end();
    return std::move(result_);
  }

 private:
  void begin(std::string expanded_sha256) {
    result_.run_id = settings_.run_id;
    result_.created_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
    result_.command_line = settings_.command_line;
    result_.spec = spec_;
    result_.spec_text = settings_.workload_text;
    result_.expanded_sha256 = std::move(expanded_sha256);
    result_.host = host_facts();
    result_.host_before = host_state();
    for (const ArmSpec& arm : arms_) {
      result_.arms.push_back({.name = arm.name, .flags = without_folders(flags_of(arm))});
    }
  }

  [[nodiscard]] std::vector<std::string> flags_of(const ArmSpec& arm) const {
    std::vector<std::string> flags = settings_.server_flags;
    const auto own = server_flags(arm);
    flags.insert(flags.end(), own.begin(), own.end());
    return flags;
  }

  void end() {
    result_.host_after = host_state();
    result_.window = measured_window(result_);
    result_.checks = check_run(result_);
    result_.validity = judge(result_);
  }

  // On a fresh server, on the arm's, or on the one there is.
  std::optional<Error> one_load(std::size_t arm, int repetition) {
    ArmResult& of_arm = result_.arms[arm];
    std::unique_ptr<OwnServer>& own = own_[arm];
    const bool kept = settings_.url.empty() ? own != nullptr : title_.number > 1;
    if (settings_.url.empty() && own == nullptr) {
      auto started = OwnServer::start(flags_of(arms_[arm]), log_of(of_arm.name, repetition));
      if (started.has_error()) return started.error();
      own = std::move(*started);
    }
    const std::string url = own ? own->url() : settings_.url;
    auto server = resolve(url);
    if (server.has_error()) return server.error();
    auto facts = server_facts(*server, fields_);
    if (facts.has_error()) return facts.error();
    of_arm.server = *facts;
    if (spec_.warmup.flush == Flush::kBetween && kept) flush(*server);
    LoadSettings load = load_settings(spec_, url, *facts, fields_);
    load.members = settings_.members;
    if (auto error = put_load(*server, load, of_arm.name, repetition)) return error;
    if (own) of_arm.peak_bytes = peak_resident(own->pid());
    if (spec_.repetitions.server == ServerLife::kFresh) own.reset();
    std::this_thread::sleep_for(std::chrono::duration<double>(spec_.repetitions.cooldown_s));
    return {};
  }

  [[nodiscard]] std::filesystem::path log_of(const std::string& arm, int repetition) const {
    const bool kept = spec_.repetitions.server == ServerLife::kKept;
    return settings_.folder / (kept ? fmt::format("server-{}.log", arm) : fmt::format("server-{}{}.log", arm, repetition));
  }

  void flush(const ServerAddress& server) {
    if (flush_prefix_cache(server, fields_)) return;
    warn("the server cannot flush its prefix cache: answers may come from earlier loads");
  }

  std::optional<Error> put_load(const ServerAddress& server, const LoadSettings& settings, const std::string& arm, int number) {
    Repetition repetition{.arm = arm, .number = number, .before = counters(server, fields_)};
    if (!warmup_.empty()) {
      auto warmed = run_load(one_by_one(settings), warmup_);
      if (warmed.has_error()) return warmed.error();
      if (zero_ns_ == 0) zero_ns_ = warmed->began_ns;
      take(*warmed, repetition);
    }
    if (spec_.warmup.flush == Flush::kBefore) flush(server);
    auto prepared = LoadRun::prepare(settings, load_);
    if (prepared.has_error()) return prepared.error();
    LoadRun& load = **prepared;
    if (zero_ns_ == 0) zero_ns_ = stamp_ns();
    watcher_.begins(title_, spec_, load);
    ServerPoll poll(server, fields_, zero_ns_, [this](const ServerSample& sample) { watcher_.server_said(sample); });
    {
      const Interrupt::Scope stops(interrupt_, [&load] { load.stop(); });
      load.drive();
    }
    repetition.samples = poll.end();
    watcher_.ended();
    const LoadResult loaded = load.result();
    repetition.began_ns = loaded.began_ns - zero_ns_;
    repetition.ended_ns = repetition.began_ns + loaded.length_ns + 1;
    repetition.client = loaded.client;
    repetition.parse = loaded.parse;
    repetition.broken_off = loaded.broken_off;
    take(loaded, repetition);
    if (closed_by_time() && std::ranges::count(loaded.records, RequestStatus::not_sent, &RequestRecord::status) == 0)
      warn("a closed loop came to the end of its requests before its time was over");
    repetition.after = counters(server, fields_);
    result_.repetitions.push_back(std::move(repetition));
    return {};
  }

  // Records with stamps of the run's clock. A closed loop that ends by time has more requests than it sends: those are none.
  void take(const LoadResult& loaded, const Repetition& repetition) {
    const std::int64_t shift_ns = loaded.began_ns - zero_ns_;
    std::vector<RequestRecord> records = loaded.records;
    judge_answers(records, expected_);
    for (RequestRecord& record : records) {
      if (closed_by_time() && record.status == RequestStatus::not_sent) continue;
      record.arm = repetition.arm;
      record.repetition = repetition.number;
      record.intended_ns += shift_ns;
      for (auto* stamp : {&record.send_ns, &record.sent_ns, &record.status_ns, &record.first_event_ns, &record.end_ns}) {
        if (*stamp) **stamp += shift_ns;
      }
      for (TokenEvent& event : record.events) event.at_ns += shift_ns;
      result_.records.push_back(std::move(record));
    }
  }

  [[nodiscard]] bool closed_by_time() const { return spec_.requests.longest_s() && !spec_.arrival.open(); }

  void warn(const std::string& text) {
    if (std::ranges::find(result_.warnings, text) == result_.warnings.end()) result_.warnings.push_back(text);
  }

  const WorkloadSpec& spec_;
  const RunSettings& settings_;
  Interrupt& interrupt_;
  Watcher& watcher_;
  std::vector<ArmSpec> arms_;
  std::vector<std::unique_ptr<OwnServer>> own_;  // [arms]; null: none runs
  HeaderFields fields_;
  std::vector<PlannedRequest> warmup_, load_;
  ExpectedAnswers expected_;
  LoadTitle title_;
  std::int64_t zero_ns_ = 0;  // of the run's clock, on the stamp clock
  RunResult result_;
};

}  // namespace

Result<RunResult> run_workload(const WorkloadSpec& spec, const RunSettings& settings, Interrupt& interrupt, Watcher& watcher) {
  return Run(spec, settings, interrupt, watcher).go();
}

}  // namespace mie::bench
