#include "bench/run/run.h"

#include "bench/load/expected_answers.h"
#include "bench/metrics/aggregates.h"
#include "bench/run/checks.h"
#include "bench/run/expectations.h"
#include "bench/run/load_groups.h"
#include "bench/run/load_of_spec.h"
#include "bench/run/precise_load.h"
#include "bench/run/server_poll.h"
#include "bench/run/validity.h"
#include "bench/workload/expand/expand.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>

namespace mie::bench {
namespace {

native::ProbeResult probe_machine() {
  native::ThreadPool pool(static_cast<int>(native::allowed_cores().size()), {});
  return native::probe(pool, native::ProbeLength::kShort, native::best_isa());
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
  Run(const WorkloadSpec& spec, const RunSettings& settings, Targets& targets, const Onlookers& onlookers)
      : spec_(spec),
        settings_(settings),
        targets_(targets),
        interrupt_(onlookers.interrupt),
        watcher_(onlookers.watcher),
        probes_(settings.probes && targets.real_time()),
        arms_(spec.arms) {
    if (arms_.empty()) arms_.push_back({.name = settings.arm, .server = {}});
    of_arms_.resize(arms_.size());
  }

  Result<RunResult> go() {
    auto expanded = expand(spec_, settings_.workload_folder);
    if (expanded.has_error()) return expanded.error();
    if (const std::string& file = spec_.checks.expected_tokens_file; !file.empty()) {
      auto expected = read_expected_answers(settings_.workload_folder / file);
      if (expected.has_error()) return expected.error();
      expected_ = std::move(*expected);
    }
    begin(expanded->sha256());
    const auto before = expanded->before_load(), load = expanded->load();
    warmup_.assign(before.begin(), before.end());
    load_.assign(load.begin(), load.end());
    if (probes_) result_.probe_before = result_.probe_after = probe_machine();
    const auto groups = groups_of(spec_.repetitions, static_cast<int>(arms_.size()));
    title_.n_loads = spec_.repetitions.n * static_cast<int>(arms_.size());
    for (const auto& group : groups) {
      if (interrupt_.requested()) break;
      if (auto error = put_group(group)) return *error;
    }
    if (probes_ && spec_.repetitions.retries == 0) result_.probe_after = probe_machine();
    end();
    return std::move(result_);
  }

 private:
  void begin(std::string expanded_sha256) {
    result_.run_id = settings_.run_id;
    result_.created_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
    result_.command_line = settings_.command_line;
    result_.target = targets_.kind();
    result_.cost_model_json = targets_.cost_model_json();
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
    keep_texts(result_);
    if (spec_.stream.timings && std::ranges::none_of(result_.records, [](const auto& r) { return r.server.has_value(); }))
      warn("the server tells no timings: there is no phase_split");
    result_.window = measured_window(result_);
    result_.checks = check_run(result_);
    result_.validity = judge(result_);
  }

  // Where the machine or the client spoiled a load of the group, all of it is put again while there are tries left.
  std::optional<Error> put_group(const std::vector<Place>& group) {
    for (;;) {
      const auto n_records = std::ssize(result_.records), n_repetitions = std::ssize(result_.repetitions);
      for (const Place& place : group) {
        if (interrupt_.requested()) return {};
        const auto arm = static_cast<std::size_t>(place.arm);
        title_ = {spec_.name, arms_[arm].name, title_.number + 1, title_.n_loads};
        if (auto error = one_load(arm, settings_.first_repetition + place.repetition)) return error;
      }
      if (spec_.repetitions.retries == 0) return {};
      const std::string spoiled = what_spoiled(static_cast<std::size_t>(n_repetitions));
      if (spoiled.empty() || n_retried_ == spec_.repetitions.retries || interrupt_.requested()) return {};
      ++n_retried_;
      title_.n_loads += static_cast<int>(group.size());
      warn(fmt::format("measured again, {} of {}: {}", n_retried_, spec_.repetitions.retries, spoiled));
      result_.records.erase(result_.records.begin() + n_records, result_.records.end());
      result_.repetitions.erase(result_.repetitions.begin() + n_repetitions, result_.repetitions.end());
    }
  }

  // Of the loads from `first` on; the probe after them is the one before the next. Empty: nothing.
  std::string what_spoiled(std::size_t first) {
    std::string moved;
    if (probes_) {
      const native::ProbeResult before = *std::exchange(result_.probe_after, probe_machine());
      moved = native::disagreement(before, *result_.probe_after);
    }
    const auto loads = std::span(result_.repetitions).subspan(first);
    for (Repetition& repetition : loads) repetition.disturbed = moved;
    if (!moved.empty() && !loads.empty()) return title_of(loads.front()) + ": " + moved;
    for (const Repetition& repetition : loads) {
      const auto reasons = client_trouble(result_, repetition);
      if (!reasons.empty()) return title_of(repetition) + ": " + reasons.front();
    }
    return {};
  }

  // On a fresh target, on the arm's, or on the one there is.
  std::optional<Error> one_load(std::size_t arm, int repetition) {
    ArmResult& of_arm = result_.arms[arm];
    std::shared_ptr<Target>& target = of_arms_[arm];
    const bool kept = spec_.repetitions.server == ServerLife::kKept;
    bool used_before = target != nullptr;
    if (!used_before) {
      auto opened = targets_.open(flags_of(arms_[arm]), kept ? of_arm.name : fmt::format("{}{}", of_arm.name, repetition));
      if (opened.has_error()) return opened.error();
      target = std::move(opened->target);
      used_before = opened->used_before;
    }
    of_arm.server = target->facts();
    if (spec_.stream.timings && !target->same_clock())
      return Error{Errc::kConfig, "stream.timings: the server's clock is another machine's: put it to a server of this one",
                   ""};
    if (auto error = unexpected_server(spec_.target.expect, identity_of(of_arm.server.model_json))) return error;
    if (spec_.warmup.flush == Flush::kBetween && used_before) flush(*target);
    if (auto error = put_loads(*target, of_arm.name, repetition)) return error;
    of_arm.peak_bytes = target->peak_bytes();
    if (!kept) target.reset();
    targets_.rest(std::chrono::duration<double>(spec_.repetitions.cooldown_s));
    return {};
  }

  void flush(Target& target) {
    if (target.flush()) return;
    warn("the server cannot flush its prefix cache: answers may come from earlier loads");
  }

  // One load; or, until a figure is known precisely, several rounds of it.
  std::optional<Error> put_loads(Target& target, const std::string& arm, int number) {
    LoadSettings settings = target.settings(spec_);
    settings.members = settings_.members;
    if (!spec_.requests.precision) return put_load(target, {settings, load_, number}, arm);
    return until_precise(result_, settings, load_, settings_.folder, [&](const Round& round) {
      return put_load(target, {round.settings, round.requests, round.number}, arm);
    });
  }

  // What is put at a time.
  struct Put {
    const LoadSettings& settings;
    const std::vector<PlannedRequest>& requests;
    int number;  // of the repetition
  };

  std::optional<Error> put_load(Target& target, const Put& put, const std::string& arm) {
    const LoadSettings& settings = put.settings;
    const bool goes_on = spec_.requests.precision && put.number > 0;
    Repetition repetition{.arm = arm, .number = put.number, .before = target.counters()};
    if (!goes_on && !warmup_.empty()) {
      auto warming = target.prepare(one_by_one(settings), warmup_);
      if (warming.has_error()) return warming.error();
      (*warming)->drive();
      const LoadResult warmed = (*warming)->result();
      if (zero_ns_ == 0) zero_ns_ = warmed.began_ns;
      take(warmed, repetition);
    }
    if (!goes_on && spec_.warmup.flush == Flush::kBefore) flush(target);
    auto prepared = target.prepare(settings, put.requests);
    if (prepared.has_error()) return prepared.error();
    Load& load = **prepared;
    if (zero_ns_ == 0) zero_ns_ = target.now_ns();
    drive(target, load, repetition);
    const LoadResult loaded = load.result();
    repetition.began_ns = loaded.began_ns - zero_ns_;
    repetition.ended_ns = repetition.began_ns + loaded.length_ns + 1;
    repetition.client = loaded.client;
    repetition.parse = loaded.parse;
    repetition.broken_off = loaded.broken_off;
    take(loaded, repetition);
    if (closed_by_time() && std::ranges::count(loaded.records, RequestStatus::not_sent, &RequestRecord::status) == 0)
      warn("a closed loop came to the end of its requests before its time was over");
    repetition.after = target.counters();
    result_.repetitions.push_back(std::move(repetition));
    return {};
  }

  void drive(Target& target, Load& load, Repetition& repetition) {
    target.watch_steps(zero_ns_);
    std::optional<ServerPoll> poll;
    if (targets_.real_time()) {
      watcher_.begins(title_, spec_, load);
      poll.emplace([&target] { return target.counters(); }, zero_ns_,
                   [this](const ServerSample& sample) { watcher_.server_said(sample); });
    }
    {
      const Interrupt::Scope stops(interrupt_, [&load] { load.stop(); });
      load.drive();
    }
    if (poll) repetition.samples = poll->end();
    watcher_.ended();
    repetition.steps = target.steps();
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
      if (record.server) record.server->shift(shift_ns);
      result_.records.push_back(std::move(record));
    }
  }

  [[nodiscard]] bool closed_by_time() const { return spec_.requests.longest_s() && !spec_.arrival.open(); }

  void warn(const std::string& text) {
    if (std::ranges::find(result_.warnings, text) == result_.warnings.end()) result_.warnings.push_back(text);
  }

  const WorkloadSpec& spec_;
  const RunSettings& settings_;
  Targets& targets_;
  Interrupt& interrupt_;
  Watcher& watcher_;
  bool probes_;
  std::vector<ArmSpec> arms_;
  std::vector<std::shared_ptr<Target>> of_arms_;  // [arms]; null: none is kept
  std::vector<PlannedRequest> warmup_, load_;
  ExpectedAnswers expected_;
  LoadTitle title_;
  int n_retried_ = 0;         // groups that were put again
  std::int64_t zero_ns_ = 0;  // of the run's clock, on the stamp clock
  RunResult result_;
};

}  // namespace

Result<RunResult> run_workload(const WorkloadSpec& spec, const RunSettings& settings, Targets& targets,
                               const Onlookers& onlookers) {
  return Run(spec, settings, targets, onlookers).go();
}

}  // namespace mie::bench
