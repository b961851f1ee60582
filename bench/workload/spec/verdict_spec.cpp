#include "bench/workload/spec/verdict_spec.h"

#include <algorithm>
#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kComparisons = {"<="sv, "<"sv, ">="sv, ">"sv};

}  // namespace

void describe_metric(Fields& fields, Metric& metric) {
  std::array<std::string_view, kMetrics.size()> names;
  std::ranges::transform(kMetrics, names.begin(), [](Metric each) { return name_of(each); });
  fields.required("metric");
  fields.choice("metric", metric, names);
}

void SloSpec::describe(Fields& fields) {
  describe_metric(fields, slo.metric);
  fields.required("op");
  fields.required("value_ms");
  fields.choice("op", slo.comparison, kComparisons);
  fields.field("value_ms", slo.value_ms, kNatural);
}

void ChecksSpec::describe(Fields& fields) {
  fields.field("expected_tokens_file", expected_tokens_file);
  fields.field("self_consistency", self_consistency);
  fields.field("finish_reason", finish_reason);
  fields.field("usage_matches_events", usage_matches_events);
  fields.field("monotone_stamps", monotone_stamps);
}

void ReportSpec::describe(Fields& fields) {
  fields.field("percentiles", percentiles, {0, 100});
  fields.field("bucket_ms", bucket_ms, kPositive);
  fields.field("plots", plots);
  fields.field("formats", formats);
  fields.field("keep_text", keep_text, kShare);
}

}  // namespace mie::bench
