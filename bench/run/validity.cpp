#include "bench/run/validity.h"

#include "bench/metrics/aggregates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mie::bench {
namespace {

constexpr double kMostResidual = 0.02;  // of Little's law

class Judge {
 public:
  void add(RunState state, std::string reason) {
    if (validity_.state == RunState::kOk) validity_.state = state;
    validity_.reasons.push_back(std::move(reason));
  }
  Validity take() { return std::move(validity_); }

 private:
  Validity validity_;
};

void judge_completeness(const RunResult& result, Judge& judge) {
  const std::size_t n_wanted =
      static_cast<std::size_t>(result.spec.repetitions.n) * std::max<std::size_t>(1, result.arms.size());
  for (const Repetition& repetition : result.repetitions) {
    if (!repetition.broken_off.empty()) judge.add(RunState::kPartial, title_of(repetition) + ": " + repetition.broken_off);
  }
  if (result.repetitions.size() < n_wanted)
    judge.add(RunState::kPartial, fmt::format("{} of {} loads were run", result.repetitions.size(), n_wanted));
}

// Where repetitions can be measured again, each has been held against the probes around it; else the run as a whole.
void judge_machine(const RunResult& result, Judge& judge) {
  if (result.spec.repetitions.retries > 0) {
    for (const Repetition& repetition : result.repetitions) {
      if (!repetition.disturbed.empty()) judge.add(RunState::kDisturbed, title_of(repetition) + ": " + repetition.disturbed);
    }
    return;
  }
  if (!result.probe_before || !result.probe_after) return;
  for (const native::ProbeResult* probe : {&*result.probe_before, &*result.probe_after}) {
    if (const std::string text = probe->disturbance(); !text.empty()) judge.add(RunState::kDisturbed, text);
  }
  if (const std::string text = native::disagreement(*result.probe_before, *result.probe_after); !text.empty())
    judge.add(RunState::kDisturbed, text);
}

}  // namespace

Window measured_window(const RunResult& result) {
  Window window{.begin_ns = std::numeric_limits<std::int64_t>::max(), .end_ns = 0};
  for (const RequestRecord& record : result.records) {
    if (record.warmup) continue;
    window.begin_ns = std::min(window.begin_ns, record.intended_ns);
    window.end_ns = std::max({window.end_ns, record.end_ns.value_or(0) + 1, record.intended_ns + 1});
  }
  if (window.end_ns == 0) return {};
  if (result.spec.steady.mode == SteadyMode::kFixed) {
    window.begin_ns += static_cast<std::int64_t>(result.spec.steady.skip_s * 1e9);
    window.end_ns = std::max(window.begin_ns, window.end_ns - static_cast<std::int64_t>(result.spec.steady.tail_s * 1e9));
  }
  return window;
}

std::vector<std::string> client_trouble(const RunResult& result, const Repetition& repetition) {
  const auto gap = result.spec.arrival.open() ? median_gap(records_of(result, repetition)) : std::nullopt;
  return client_verdict(repetition.client, gap, std::nullopt).reasons;
}

Validity judge(const RunResult& result) {
  Judge judge;
  judge_completeness(result, judge);
  for (const Check& check : result.checks) {
    if (check.n_failed > 0)
      judge.add(RunState::kMismatch,
                fmt::format("{}: {} of {} failed; {}", check.name, check.n_failed, check.n_checked, check.failed.front()));
  }
  for (const Repetition& repetition : result.repetitions) {
    for (const std::string& reason : client_trouble(result, repetition))
      judge.add(RunState::kClientBound, title_of(repetition) + ": " + reason);
  }
  judge_machine(result, judge);
  for (const Repetition& repetition : result.repetitions) {
    const Window window = window_of(result, repetition);
    if (window.end_ns <= window.begin_ns) continue;
    const auto residual = little_residual(records_of(result, repetition), window);
    if (residual && *residual > kMostResidual)
      judge.add(RunState::kNotSteady,
                fmt::format("{}: in flight and rate times latency differ by {:.1f} %", title_of(repetition), 100 * *residual));
  }
  return judge.take();
}

}  // namespace mie::bench
