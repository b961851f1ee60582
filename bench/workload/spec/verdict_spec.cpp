#include "bench/workload/spec/verdict_spec.h"

#include <algorithm>
#include <array>

namespace mie::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kMetrics = {"lateness"sv,      "ttft"sv,     "ttft_intended"sv, "ttst"sv,        "e2el"sv,
                                 "e2el_intended"sv, "tpot"sv,     "itl"sv,           "event_gap"sv,   "stall"sv,
                                 "normalized"sv,    "slowdown"sv, "tokens"sv,        "prefill_rate"sv};
constexpr std::array kComparisons = {"<="sv, "<"sv, ">="sv, ">"sv};

}  // namespace

void describe_metric(Fields& fields, std::string& metric) {
  auto index = static_cast<std::size_t>(std::ranges::find(kMetrics, metric) - kMetrics.begin());
  if (index == kMetrics.size()) index = 0;
  fields.required("metric");
  fields.choice("metric", index, kMetrics);
  metric = kMetrics[index];
}

void SloSpec::describe(Fields& fields) {
  describe_metric(fields, metric);
  fields.required("op");
  fields.required("value_ms");
  fields.choice("op", op, kComparisons);
  fields.field("value_ms", value_ms, kNatural);
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
