// The figures of a run as parts of result.json: counts, distributions, rates, courses over time. Each writes one member. Pure.
#pragma once

#include "bench/metrics/aggregates.h"
#include "bench/result/run_result.h"
#include "server/json/response_write.h"

namespace mie::bench {

void write_counts(json::JsonWriter& out, const RunResult& result);      // "counts", of the window, warm-up excluded
void write_metrics(json::JsonWriter& out, const RunResult& result);     // "metrics", seconds, of successful and of all requests
void write_goodput(json::JsonWriter& out, const RunResult& result);     // "goodput"; null without objectives
void write_throughput(json::JsonWriter& out, const RunResult& result);  // "throughput", means over the repetitions
void write_repetitions(json::JsonWriter& out, const RunResult& result);  // "repetitions"
void write_timeseries(json::JsonWriter& out, const RunResult& result);   // "timeseries", seconds and tenths
void write_phase_split(json::JsonWriter& out, const RunResult& result);  // "phase_split"; null where no server tells
void write_histograms(json::JsonWriter& out, const RunResult& result);   // "histograms", [seconds to 3 digits, count]

[[nodiscard]] std::vector<Slo> objectives(const WorkloadSpec& spec);

// How long a failed request counts as in the view of all.
[[nodiscard]] std::optional<std::int64_t> limit_ns(const WorkloadSpec& spec);

}  // namespace mie::bench
