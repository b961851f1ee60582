// What one run of one workload amounts to: everything that result.json and requests.jsonl hold. A value; any thread.
#pragma once

#include "bench/load/client_figures.h"
#include "bench/load/load.h"
#include "bench/load/request_record.h"
#include "bench/metrics/step_counts.h"
#include "bench/metrics/window.h"
#include "bench/result/host_facts.h"
#include "bench/run/server_facts.h"
#include "bench/workload/spec/workload_spec.h"
#include "models/native/probe.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mie::bench {

// What the server's counters said at a time of the run.
struct ServerSample {
  std::int64_t at_ns = 0;  // of the run's clock
  MetricSums sums{};
};

// One load on one arm.
struct Repetition {
  std::string arm{};
  int number = 0;
  std::int64_t began_ns = 0, ended_ns = 0;  // of the run's clock: the load, without the warm-up before it
  ClientFigures client{};
  ParseMode parse = ParseMode::kLate;
  MetricSums before{}, after{};  // of the server's counters, the warm-up between them
  std::vector<ServerSample> samples{};
  std::string broken_off{};          // why it is partial; empty: it is whole
  std::string disturbed{};           // by what the probes around it differ, where there are such; empty: by nothing
  std::optional<LoadSteps> steps{};  // of the engine, without the warm-up before it; none: the target does not tell
};

struct ArmResult {
  std::string name{};
  std::vector<std::string> flags{};  // of our server
  ServerFacts server{};
  std::optional<std::int64_t> peak_bytes{};  // resident, of our server, after the last load
};

// What must hold, whatever the figures: a failed one makes the run invalid.
struct Check {
  std::string name{};
  std::int64_t n_checked = 0;
  std::vector<std::string> failed{};  // the first of them
  std::int64_t n_failed = 0;
};

// What the records of so many seconds say of the figure that `requests.precision` names.
struct PrecisionLook {
  double load_s = 0;                     // without warm-up
  std::int64_t n = 0;                    // values behind the figure
  std::optional<double> estimate_s{};    // absent: there are no values
  std::optional<double> half_width_s{};  // of its interval; absent: too few values for one
  double confidence = 0;                 // of that interval: so much that all looks together keep 95 %
  bool precise = false;
};

enum class RunState : std::uint8_t { kOk, kPartial, kClientBound, kNotSteady, kMismatch, kDisturbed };

[[nodiscard]] std::string_view name_of(RunState state);

struct Validity {
  RunState state = RunState::kOk;
  std::vector<std::string> reasons{};
};

struct RunResult {
  std::string run_id{}, created_utc{};
  std::vector<std::string> command_line{};
  TargetKind target = TargetKind::kHttp;  // that answered, whatever the specification says
  std::string cost_model_json{};          // of the simulated target: what a step costs, and how far that is off
  WorkloadSpec spec{};
  std::string spec_text{};  // as in its file
  std::string expanded_sha256;
  HostFacts host{};
  HostState host_before{}, host_after{};
  std::optional<native::ProbeResult> probe_before{}, probe_after{};
  std::vector<ArmResult> arms{};
  std::vector<Repetition> repetitions{};
  std::vector<RequestRecord> records{};  // stamps of the run's clock: 0 is the beginning of the first load
  Window window{};                       // what figures are of
  std::vector<PrecisionLook> looks{};
  std::vector<Check> checks{};
  std::vector<std::string> warnings{};
  Validity validity{};
};

// The requests of one load, which stand together; and the part of the measured window that it fills, empty where it fills none.
[[nodiscard]] std::span<const RequestRecord> records_of(const RunResult& result, const Repetition& repetition);
[[nodiscard]] Window window_of(const RunResult& result, const Repetition& repetition);

// Marks as many answers as `report.keep_text` says, drawn from all that have text; the seed decides which.
void keep_texts(RunResult& result);

// "repetition 2 of static"
[[nodiscard]] std::string title_of(const Repetition& repetition);

// A UUID of version 7: its first 48 bits are the time, so that folders sort by it.
[[nodiscard]] std::string new_run_id();

}  // namespace mie::bench
