// What a run must show, and what is written about it. Values; any thread.
#pragma once

#include "bench/workload/document/fields.h"

namespace mie::bench {

// A metric of one request, by its name.
void describe_metric(Fields& fields, std::string& metric);

enum class Comparison : std::uint8_t { at_most, below, at_least, above };

struct SloSpec {
  std::string metric;
  Comparison op = Comparison::at_most;
  double value_ms = 0;

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
