// A workload: everything that decides what is sent and when, and what is made of the answers. Read from TOML or JSON; the same
// settings have the same canonical JSON, whose hash names them. Values; any thread.
#pragma once

#include "bench/workload/spec/arrival_spec.h"
#include "bench/workload/spec/clients_spec.h"
#include "bench/workload/spec/output_spec.h"
#include "bench/workload/spec/prefix_spec.h"
#include "bench/workload/spec/prompt_spec.h"
#include "bench/workload/spec/run_spec.h"
#include "bench/workload/spec/sessions_spec.h"
#include "bench/workload/spec/target_spec.h"
#include "bench/workload/spec/verdict_spec.h"

namespace mie::bench {

inline constexpr std::string_view kWorkloadSchema = "mie.workload/1";

enum class Scenario : std::uint8_t { kS1, kS2, kS3, kS4, kFree };
enum class Compat : std::uint8_t { kNone, kPython };

struct WorkloadSpec {
  std::string name, description;
  Scenario scenario = Scenario::kFree;
  std::int64_t seed = 0;  // not negative
  Compat compat = Compat::kNone;
  TargetSpec target;
  RequestsSpec requests;
  PromptSpec prompt;
  OutputSpec output;
  PrefixSpec prefix;
  std::optional<SessionsSpec> sessions;
  SamplingSpec sampling;
  StreamSpec stream;
  ArrivalSpec arrival;
  ClientsSpec clients;
  WarmupSpec warmup;
  SteadySpec steady;
  RepetitionsSpec repetitions;
  std::vector<ArmSpec> arms;
  Value::Table sweep;  // key → list, tables of them, or keys with dots
  std::vector<SloSpec> slo;
  double goodput_target = 0.99;
  ChecksSpec checks;
  ReportSpec report;

  void describe(Fields& fields);
};

// Errors: kConfig with file and line: a key that does not exist, a wrong type, settings that contradict each other.
Result<WorkloadSpec> read_spec(const Document& document);

[[nodiscard]] std::string canonical_json(const WorkloadSpec& spec);
[[nodiscard]] std::string spec_sha256(const WorkloadSpec& spec);  // of the canonical JSON

}  // namespace mie::bench
