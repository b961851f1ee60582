// What a run must show, and what is written about it. Values; any thread.
#pragma once

#include "bench/metrics/aggregates.h"
#include "bench/workload/document/fields.h"

namespace mie::bench {

// A key `metric` that must be given.
void describe_metric(Fields& fields, Metric& metric);

struct SloSpec {
  Slo slo;

  void describe(Fields& fields);
};

struct ChecksSpec {
  std::string expected_tokens_file;
  bool self_consistency = true, finish_reason = true, usage_matches_events = true, monotone_stamps = true;

  void describe(Fields& fields);
};

struct ReportSpec {
  std::vector<double> percentiles = {50, 90, 95, 99, 99.9};
  std::vector<double> bucket_ms = {1000, 100};
  std::vector<std::string> plots = {"all"};
  std::vector<std::string> formats = {"html", "md", "csv"};
  double keep_text = 0;  // share of the answers whose text is kept

  void describe(Fields& fields);
};

}  // namespace mie::bench
