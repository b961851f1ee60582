#include "bench/micro/micro.h"

#include "bench/micro/attention_cases.h"
#include "bench/micro/linear_cases.h"
#include "bench/micro/report.h"
#include "bench/micro/row_cases.h"
#include "bench/micro/sampler_cases.h"
#include "bench/micro/scheduler_cases.h"
#include "bench/micro/session.h"
#include "bench/micro/step_cases.h"
#include "bench/micro/trace_cases.h"
#include "core/base/build_info.h"

#include <algorithm>
#include <fstream>

namespace mie::bench {
namespace {

Wanted wanted_cases(const MicroOptions& options) {
  if (!options.gates || !options.names.empty()) return {.names = options.names};
  Wanted wanted{.whole_names = true};
  for (const Gate& gate : all_gates()) {
    if (gate.kind != GateKind::kTest && !gate.case_name.empty()) wanted.names.push_back(gate.case_name);
  }
  return wanted;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const auto at = line.find(": ");
    return at == std::string::npos ? line : line.substr(at + 2);
  }
  return "unknown CPU";
}

Result<void> run_cases(MicroSession& session, const std::string& model) {
  run_linear_cases(session);
  run_attention_cases(session);
  run_row_cases(session);
  run_sampler_cases(session);
  run_scheduler_cases(session);
  run_trace_cases(session);
  return model.empty() ? Result<void>() : run_step_cases(session, model);
}

}  // namespace

Result<MicroOutcome> run_micro(const MicroOptions& options) {
  const bool probe_only = options.names == std::vector<std::string>{"probe"} && !options.gates;
  Sizes sizes = options.tiny ? Sizes::tiny() : Sizes::full();
  if (options.gates && !options.tiny) sizes.probe_every_seconds = 0;
  const auto length = options.tiny ? native::ProbeLength::kShort : native::ProbeLength::kFull;
  MicroSession session(options.isa, options.n_threads, std::move(sizes), wanted_cases(options));
  const BuildInfo build = build_info();
  MicroReport report;
  report.isa = native::isa_name(options.isa);
  report.version = build.version;
  report.commit = build.commit;
  report.cpu = cpu_name();
  report.n_threads = session.n_threads();
  report.before = report.after = session.take_probe(length);
  if (!probe_only) {
    if (auto ok = run_cases(session, options.model); !ok) return ok.error();
    report.cases = session.finish();
    report.after = session.take_probe(length);
  }
  if (options.gates) {
    const UnitBits bits = compare_units();
    for (const Gate& gate : all_gates()) report.gates.push_back(judge(gate, {report.cases, &report.before, &bits}));
  }
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(report.gates, [=](const Judged& judged) { return judged.verdict == verdict; });
  };
  return MicroOutcome{options.json ? as_json(report) : as_text(report), any(Verdict::kFail), any(Verdict::kDisturbed)};
}

}  // namespace mie::bench
