#include "bench/result/figures_json.h"

#include "bench/metrics/aggregates.h"
#include "bench/metrics/percentiles.h"
#include "bench/metrics/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

namespace mie::bench {
namespace {

using json::JsonWriter;

void write_distribution(JsonWriter& out, std::string_view name, const Sample& sample) {
  const Distribution of = distribution_of(sample.values);
  out.key(name).begin_object().member("n", of.n).member("undefined", sample.n_undefined);
  out.member("censored", sample.n_censored);
  const auto figure = [&](std::string_view what, double value) {
    out.member_or_null(what, of.n > 0 ? std::optional(value) : std::nullopt);
  };
  figure("mean", of.mean);
  figure("sd", of.sd);
  figure("min", of.min);
  figure("max", of.max);
  out.key("percentiles").begin_object();
  for (const Percentile& one : of.percentiles) {
    out.key(fmt::format("p{:g}", one.permille / 10.0)).begin_object();
    out.member_or_null("linear", one.withheld ? std::nullopt : std::optional(one.linear));
    out.member_or_null("nearest", one.withheld ? std::nullopt : std::optional(one.nearest));
    out.member("withheld", one.withheld).member("needed", one.needed).end_object();
  }
  out.end_object().end_object();
}

Censoring censoring_of(const RunResult& result) {
  Censoring censoring{.limit_ns = limit_ns(result.spec)};
  for (const RequestRecord& record : result.records)
    censoring.run_end_ns = std::max(censoring.run_end_ns, record.end_ns.value_or(0));
  return censoring;
}

void write_rates(JsonWriter& out, const Rates& rates) {
  out.key("requests_per_s").number(rates.requests).key("output_tokens_per_s").number(rates.output);
  out.key("input_tokens_per_s").number(rates.input).key("cached_input_tokens_per_s").number(rates.cached_input);
  out.key("total_tokens_per_s").number(rates.total()).key("peak_output_tokens_per_s").number(rates.peak_output);
}

double three_digits(double value) {
  if (value <= 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

}  // namespace

std::vector<Slo> objectives(const WorkloadSpec& spec) {
  std::vector<Slo> all;
  all.reserve(spec.slo.size());
  for (const SloSpec& one : spec.slo) all.push_back(one.slo);
  return all;
}

std::optional<std::int64_t> limit_ns(const WorkloadSpec& spec) {
  const int ms = std::min(spec.clients.timeout_ms, spec.clients.deadline_ms.value_or(spec.clients.timeout_ms));
  return ms > 0 ? std::optional(std::int64_t{ms} * 1'000'000) : std::nullopt;
}

void write_counts(JsonWriter& out, const RunResult& result) {
  const Counts counts = counts_of(result.records, result.window);
  out.key("counts").begin_object().member("offered", counts.offered).member("sent", counts.sent).member("retried", 0);
  out.key("by_status").begin_object();
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (counts.by_status[i] > 0) out.member(name_of(kStatuses[i]), counts.by_status[i]);
  }
  out.end_object().member("tokens_in", counts.prompt_tokens).member("tokens_out", counts.output_tokens);
  out.member("tokens_cached", counts.cached_tokens).end_object();
}

void write_metrics(JsonWriter& out, const RunResult& result) {
  const Censoring censoring = censoring_of(result);
  out.key("metrics").begin_object();
  for (const Metric metric : kMetrics) {
    out.key(name_of(metric)).begin_object();
    write_distribution(out, "ok", sample_of(result.records, metric, View::kOk, result.window, censoring));
    write_distribution(out, "all", sample_of(result.records, metric, View::kAll, result.window, censoring));
    out.end_object();
  }
  out.end_object();
}

void write_goodput(JsonWriter& out, const RunResult& result) {
  if (result.spec.slo.empty()) {
    out.null_member("goodput");
    return;
  }
  const Goodput goodput = goodput_of(result.records, objectives(result.spec), result.window);
  out.key("goodput").begin_object().member("good", goodput.good).member("offered", goodput.offered);
  out.key("rate_per_s").number(goodput.rate).key("share").number(goodput.share);
  out.key("target").number(result.spec.goodput_target).end_object();
}

void write_throughput(JsonWriter& out, const RunResult& result) {
  Rates mean;
  double in_flight_mean = 0;
  int in_flight_max = 0;
  const auto n = static_cast<double>(std::max<std::size_t>(1, result.repetitions.size()));
  for (const Repetition& repetition : result.repetitions) {
    const auto own = records_of(result, repetition);
    const Window window = window_of(result, repetition);
    if (window.end_ns <= window.begin_ns) continue;
    const Rates rates = rates_of(own, window);
    mean.requests += rates.requests / n;
    mean.output += rates.output / n;
    mean.input += rates.input / n;
    mean.cached_input += rates.cached_input / n;
    mean.peak_output = std::max(mean.peak_output, rates.peak_output);
    const InFlight flying = in_flight(flights_of(own), window);
    in_flight_mean += flying.mean / n;
    in_flight_max = std::max(in_flight_max, flying.max);
  }
  out.key("throughput").begin_object();
  write_rates(out, mean);
  out.key("in_flight_mean").number(in_flight_mean).member("in_flight_max", in_flight_max).end_object();
}

void write_repetitions(JsonWriter& out, const RunResult& result) {
  out.key("repetitions").begin_array();
  for (const Repetition& repetition : result.repetitions) {
    const auto own = records_of(result, repetition);
    const Window window = window_of(result, repetition);
    out.begin_object().member("arm", std::string_view(repetition.arm)).member("repetition", repetition.number);
    out.member("began_ns", repetition.began_ns).member("ended_ns", repetition.ended_ns);
    if (window.end_ns > window.begin_ns) {
      write_rates(out, rates_of(own, window));
      out.member_or_null("little_residual", little_residual(own, window));
    }
    for (const Metric metric : {Metric::kTtft, Metric::kTpot, Metric::kItl, Metric::kE2el}) {
      const Distribution of = distribution_of(sample_of(own, metric, View::kOk, window, {}).values);
      const auto median = std::ranges::find(of.percentiles, 500, &Percentile::permille);
      out.member_or_null(fmt::format("{}_p50_s", name_of(metric)), of.n > 0 ? std::optional(median->linear) : std::nullopt);
    }
    out.end_object();
  }
  out.end_array();
}

void write_histograms(JsonWriter& out, const RunResult& result) {
  out.key("histograms").begin_object();
  for (const Metric metric : {Metric::kTtft, Metric::kItl, Metric::kTpot, Metric::kE2el, Metric::kLateness}) {
    std::map<double, std::int64_t> counts;
    for (const double value : sample_of(result.records, metric, View::kOk, result.window, {}).values)
      ++counts[three_digits(value)];
    out.key(name_of(metric)).begin_array();
    for (const auto& [value, n] : counts) out.begin_array().number(value).integer(n).end_array();
    out.end_array();
  }
  out.end_object();
}

}  // namespace mie::bench
