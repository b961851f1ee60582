#include "bench/run/headline.h"

#include "bench/metrics/aggregates.h"
#include "bench/metrics/percentiles.h"
#include "bench/metrics/sample.h"
#include "bench/result/figures_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace mie::bench {
namespace {

struct OfArm {
  std::vector<RequestRecord> records;
  double output = 0, requests = 0;  // a second, mean of the loads
};

OfArm of_arm(const RunResult& result, const std::string& arm) {
  OfArm of;
  int n = 0;
  for (const Repetition& repetition : result.repetitions) {
    if (repetition.arm != arm) continue;
    const auto own = records_of(result, repetition);
    const Window window = window_of(result, repetition);
    if (window.end_ns > window.begin_ns) {
      const Rates rates = rates_of(own, window);
      of.output += rates.output;
      of.requests += rates.requests;
      ++n;
    }
    of.records.insert(of.records.end(), own.begin(), own.end());
  }
  of.output /= std::max(1, n);
  of.requests /= std::max(1, n);
  return of;
}

std::string percentiles(const RunResult& result, const std::vector<RequestRecord>& records, Metric metric) {
  const Distribution of = distribution_of(sample_of(records, metric, View::kOk, result.window, {}).values);
  std::string text = fmt::format("    {:<14}", name_of(metric));
  for (const int permille : {500, 900, 950, 990}) {
    const Percentile& one = *std::ranges::find(of.percentiles, permille, &Percentile::permille);
    text += one.withheld && permille != 500 ? fmt::format("  p{:g} needs {}", permille / 10.0, one.needed)
            : of.n == 0                     ? fmt::format("  p{:g} -", permille / 10.0)
                                            : fmt::format("  p{:g} {:.2f} ms", permille / 10.0, 1e3 * one.linear);
  }
  return text + "\n";
}

std::string target_word(const RunResult& result) {
  return result.target == TargetKind::kHttp ? std::string() : fmt::format(" ({})", name_of(result.target));
}

// Of the arm's first load: the same work takes the same steps each time, as far as arrivals do not meet other steps.
std::string steps(const RunResult& result, const std::string& arm) {
  const auto load = std::ranges::find(result.repetitions, arm, &Repetition::arm);
  if (load == result.repetitions.end() || !load->steps) return {};
  const StepCounts& counts = load->steps->counts;
  return fmt::format("    {} steps, {} of them decode {:.2f} rows\n", counts.steps, counts.decode_forwards, counts.occupancy());
}

}  // namespace

bool accepted(const RunResult& result) {
  if (result.spec.slo.empty()) return true;
  return goodput_of(result.records, objectives(result.spec), result.window).share >= result.spec.goodput_target;
}

std::string headline(const RunResult& result) {
  const Counts counts = counts_of(result.records, result.window);
  std::string text = fmt::format("{}{}  spec {}  run {}\n", result.spec.name, target_word(result),
                                 spec_sha256(result.spec).substr(0, 12), result.run_id);
  text += fmt::format("  {} requests offered:", counts.offered);
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (counts.by_status[i] > 0) text += fmt::format(" {} {}", counts.by_status[i], name_of(kStatuses[i]));
  }
  text += fmt::format("; {} tokens in ({} cached), {} out\n", counts.prompt_tokens, counts.cached_tokens, counts.output_tokens);
  for (const std::string& warning : result.warnings) text += "  warning: " + warning + "\n";
  if (result.validity.state != RunState::kOk) {
    text += fmt::format("  INVALID ({}): no figure of this run counts\n", name_of(result.validity.state));
    for (const std::string& reason : result.validity.reasons) text += "    " + reason + "\n";
    return text;
  }
  for (const ArmResult& arm : result.arms) {
    const OfArm of = of_arm(result, arm.name);
    text += fmt::format("  {}{:.1f} output tokens/s, {:.2f} requests/s\n", arm.name.empty() ? "" : arm.name + ": ", of.output,
                        of.requests);
    text += steps(result, arm.name);
    for (const Metric metric : {Metric::kTtft, Metric::kTtftIntended, Metric::kTpot, Metric::kItl, Metric::kE2el})
      text += percentiles(result, of.records, metric);
  }
  if (!result.spec.slo.empty()) {
    const Goodput goodput = goodput_of(result.records, objectives(result.spec), result.window);
    text += fmt::format("  goodput {:.1f} % of {} requests, {:.1f} % wanted\n", 100 * goodput.share, goodput.offered,
                        100 * result.spec.goodput_target);
  }
  return text;
}

}  // namespace mie::bench
