#include "bench/result/figures_json.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace mie::bench {
namespace {

using json::JsonWriter;

struct Bucket {
  std::int64_t sent = 0, finished = 0, failed = 0, tokens = 0, in_flight = 0;
};

// Columns that the analysis knows, and the series of the server they are.
constexpr std::pair<std::string_view, std::string_view> kServerColumns[] = {
    {"running", "vllm:num_requests_running"},        {"waiting", "vllm:num_requests_waiting"},
    {"kv_used", "vllm:kv_cache_usage_perc"},         {"preemptions", "vllm:num_preemptions_total"},
    {"prefix_hits", "vllm:prefix_cache_hits_total"}, {"rss_bytes", "process_resident_memory_bytes"},
    {"cpu_s", "process_cpu_seconds_total"},
};

std::vector<Bucket> buckets_of(const RunResult& result, std::int64_t length_ns) {
  std::int64_t last_ns = 0;
  for (const RequestRecord& record : result.records) last_ns = std::max(last_ns, record.end_ns.value_or(0));
  std::vector<Bucket> buckets(static_cast<std::size_t>(last_ns / length_ns + 1));
  const auto at = [&](std::int64_t ns) -> Bucket* {
    return ns < 0 || ns > last_ns ? nullptr : &buckets[static_cast<std::size_t>(ns / length_ns)];
  };
  for (const RequestRecord& record : result.records) {
    if (!record.send_ns) continue;
    if (Bucket* bucket = at(*record.send_ns)) ++bucket->sent;
    if (Bucket* bucket = at(record.end_ns.value_or(-1))) {
      ++(succeeded(record.status) ? bucket->finished : bucket->failed);
    }
    for (const TokenEvent& event : record.events) {
      if (Bucket* bucket = at(event.at_ns)) bucket->tokens += event.tokens;
    }
  }
  std::int64_t in_flight = 0;
  for (Bucket& bucket : buckets) bucket.in_flight = in_flight += bucket.sent - bucket.finished - bucket.failed;
  return buckets;
}

void write_samples(JsonWriter& out, std::span<const ServerSample* const> samples) {
  if (samples.empty()) return;
  for (const auto& [column, series] : kServerColumns) {
    if (const auto value = sum_of(samples.back()->sums, series)) out.key(column).number(*value);
  }
}

// Rows of `length_ns`; what the server said is in the row of its second.
void write_rows(JsonWriter& out, const RunResult& result, std::string_view name, std::int64_t length_ns) {
  std::vector<const ServerSample*> samples;
  if (length_ns == 1'000'000'000) {
    for (const Repetition& repetition : result.repetitions) {
      for (const ServerSample& sample : repetition.samples) samples.push_back(&sample);
    }
  }
  out.key(name).begin_array();
  std::size_t next = 0;
  std::int64_t begin_ns = 0;
  for (const Bucket& bucket : buckets_of(result, length_ns)) {
    out.begin_object().key("t_s").number(static_cast<double>(begin_ns) * 1e-9).member("sent", bucket.sent);
    out.member("finished", bucket.finished).member("rejects", bucket.failed).member("tokens", bucket.tokens);
    out.member("in_flight", bucket.in_flight);
    const std::size_t first = next;
    while (next < samples.size() && samples[next]->at_ns < begin_ns + length_ns) ++next;
    write_samples(out, std::span(samples).subspan(first, next - first));
    out.end_object();
    begin_ns += length_ns;
  }
  out.end_array();
}

}  // namespace

void write_timeseries(JsonWriter& out, const RunResult& result) {
  out.key("timeseries").begin_object();
  write_rows(out, result, "1s", 1'000'000'000);
  write_rows(out, result, "100ms", 100'000'000);
  out.end_object();
}

}  // namespace mie::bench
