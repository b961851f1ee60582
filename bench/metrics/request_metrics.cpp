#include "bench/metrics/request_metrics.h"

#include "bench/metrics/percentiles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace mie::bench {
namespace {

constexpr double kNs = 1e-9;
constexpr double kStallAtLeast = 0.2;  // s
constexpr double kStallMedians = 5;

constexpr std::array<std::string_view, kMetrics.size()> kNames = {
    "lateness", "ttft", "ttft_intended", "ttst", "e2el", "e2el_intended", "tpot", "normalized", "itl", "event_gap", "stall"};

double seconds(std::int64_t from_ns, std::int64_t to_ns) { return static_cast<double>(to_ns - from_ns) * kNs; }

std::optional<double> between(const std::optional<std::int64_t>& from_ns, const std::optional<std::int64_t>& to_ns) {
  if (!from_ns || !to_ns) return {};
  return seconds(*from_ns, *to_ns);
}

// The event of the second token.
std::optional<std::int64_t> second_token_at(const std::vector<TokenEvent>& events) {
  if (events.empty()) return {};
  if (events[0].tokens > 1) return events[0].at_ns;
  if (events.size() > 1) return events[1].at_ns;
  return {};
}

void add_gaps(RequestMetrics& out, const std::vector<TokenEvent>& events) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    const double gap = seconds(events[i - 1].at_ns, events[i].at_ns);
    out.event_gaps.push_back(gap);
    out.itl.insert(out.itl.end(), static_cast<std::size_t>(events[i].tokens), gap / events[i].tokens);
  }
}

void add_stalls(RequestMetrics& out) {
  if (out.event_gaps.empty()) return;
  std::vector<double> sorted = out.event_gaps;
  std::sort(sorted.begin(), sorted.end());
  const double limit = std::max(kStallAtLeast, kStallMedians * linear_percentile(sorted, 500));
  for (const double gap : out.event_gaps) {
    if (gap <= limit) continue;
    ++out.stalls;
    out.stall_s += gap;
  }
}

std::optional<double> longest(const std::vector<double>& gaps) {
  if (gaps.empty()) return {};
  return *std::max_element(gaps.begin(), gaps.end());
}

std::vector<TokenEvent> token_events(const RequestRecord& record) {
  std::vector<TokenEvent> out;
  std::copy_if(record.events.begin(), record.events.end(), std::back_inserter(out),
               [](const TokenEvent& event) { return event.tokens > 0; });
  return out;
}

}  // namespace

int output_tokens_of(const RequestRecord& record) {
  if (record.output_tokens > 0) return record.output_tokens;
  return std::accumulate(record.events.begin(), record.events.end(), 0,
                         [](int sum, const TokenEvent& event) { return sum + event.tokens; });
}

RequestMetrics metrics_of(const RequestRecord& record) {
  RequestMetrics out;
  const auto events = token_events(record);
  const int n = output_tokens_of(record);
  std::optional<std::int64_t> first;
  if (!events.empty()) first = events.front().at_ns;
  out.lateness = between(record.intended_ns, record.send_ns);
  out.ttft = between(record.send_ns, first);
  out.ttft_intended = between(record.intended_ns, first);
  out.ttst = between(first, second_token_at(events));
  out.e2el = between(record.send_ns, record.end_ns);
  if (out.e2el) out.e2el_intended = between(record.intended_ns, record.end_ns);
  if (first && n > 1) out.tpot = seconds(*first, events.back().at_ns) / (n - 1);
  if (out.e2el && n > 0) out.normalized = *out.e2el / n;
  add_gaps(out, events);
  add_stalls(out);
  return out;
}

std::string_view name_of(Metric metric) { return kNames[static_cast<std::size_t>(metric)]; }

std::optional<Metric> metric_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return {};
  return static_cast<Metric>(found - kNames.begin());
}

std::optional<double> value_of(const RequestMetrics& metrics, Metric metric) {
  switch (metric) {
    case Metric::kLateness:
      return metrics.lateness;
    case Metric::kTtft:
      return metrics.ttft;
    case Metric::kTtftIntended:
      return metrics.ttft_intended;
    case Metric::kTtst:
      return metrics.ttst;
    case Metric::kE2el:
      return metrics.e2el;
    case Metric::kE2elIntended:
      return metrics.e2el_intended;
    case Metric::kTpot:
      return metrics.tpot;
    case Metric::kNormalized:
      return metrics.normalized;
    case Metric::kItl:
      return longest(metrics.itl);
    case Metric::kEventGap:
      return longest(metrics.event_gaps);
    case Metric::kStall:
      return metrics.stall_s;
  }
  return {};
}

}  // namespace mie::bench
