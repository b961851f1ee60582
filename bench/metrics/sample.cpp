#include "bench/metrics/sample.h"

namespace mie::bench {
namespace {

struct Censored {
  bool applies = false;
  bool from_intended = false;
};

Censored censored(Metric metric) {
  switch (metric) {
    case Metric::kTtft:
    case Metric::kE2el:
      return {.applies = true};
    case Metric::kTtftIntended:
    case Metric::kE2elIntended:
      return {.applies = true, .from_intended = true};
    default:
      return {};
  }
}

double limit_of(const RequestRecord& record, bool from_intended, const Censoring& censoring) {
  if (censoring.limit_ns) return static_cast<double>(*censoring.limit_ns) * 1e-9;
  const std::int64_t begin_ns = from_intended ? record.intended_ns : record.send_ns.value_or(record.intended_ns);
  return static_cast<double>(censoring.run_end_ns - begin_ns) * 1e-9;
}

void add(Sample& sample, const RequestRecord& record, Metric metric) {
  const RequestMetrics metrics = metrics_of(record);
  if (metric == Metric::kItl || metric == Metric::kEventGap) {
    const auto& gaps = metric == Metric::kItl ? metrics.itl : metrics.event_gaps;
    sample.values.insert(sample.values.end(), gaps.begin(), gaps.end());
    if (gaps.empty()) ++sample.n_undefined;
  } else if (const auto value = value_of(metrics, metric)) {
    sample.values.push_back(*value);
  } else {
    ++sample.n_undefined;
  }
}

}  // namespace

bool succeeded(const RequestRecord& record) { return succeeded(record.status); }

Sample sample_of(std::span<const RequestRecord> records, Metric metric, View view, const Window& window,
                 const Censoring& censoring) {
  Sample out;
  const Censored how = censored(metric);
  for (const RequestRecord& record : records) {
    if (!offered_in(window, record)) continue;
    if (succeeded(record)) {
      add(out, record, metric);
    } else if (view == View::kAll && how.applies && record.status != RequestStatus::cancelled_by_client) {
      out.values.push_back(limit_of(record, how.from_intended, censoring));
      ++out.n_censored;
    }
  }
  return out;
}

}  // namespace mie::bench
