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

struct Definition {
  std::string_view name, meaning;
  std::optional<double> (*of)(const RequestMetrics&);
};

using Figures = const RequestMetrics&;

// In the order of Metric.
constexpr std::array<Definition, kMetrics.size()> kDefinitions = {{
    {"lateness", "first byte sent − instant at which it was to be sent", [](Figures of) { return of.lateness; }},
    {"ttft", "first token − first byte sent", [](Figures of) { return of.ttft; }},
    {"ttft_intended", "first token − instant at which the request was to be sent", [](Figures of) { return of.ttft_intended; }},
    {"ttst", "second token − first token; 0 when one event carries both", [](Figures of) { return of.ttst; }},
    {"e2el", "end of the answer − first byte sent", [](Figures of) { return of.e2el; }},
    {"e2el_intended", "end of the answer − instant at which the request was to be sent",
     [](Figures of) { return of.e2el_intended; }},
    {"tpot", "(last token − first token) / (n − 1) of an answer of n tokens; none for n < 2",
     [](Figures of) { return of.tpot; }},
    {"normalized", "e2el / n", [](Figures of) { return of.normalized; }},
    {"itl", "gap between token events / tokens of the later one, counted once for each of them; of a request the longest",
     [](Figures of) { return longest(of.itl); }},
    {"event_gap", "the same gap undivided, counted once; of a request the longest",
     [](Figures of) { return longest(of.event_gaps); }},
    {"stall", "sum of the event gaps over 200 ms and over 5 × the median gap of the request",
     [](Figures of) { return std::optional(of.stall_s); }},
}};

const Definition& definition_of(Metric metric) { return kDefinitions[static_cast<std::size_t>(metric)]; }

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

std::string_view name_of(Metric metric) { return definition_of(metric).name; }

std::string_view meaning_of(Metric metric) { return definition_of(metric).meaning; }

std::optional<Metric> metric_named(std::string_view name) {
  const auto found = std::ranges::find(kMetrics, name, [](Metric metric) { return name_of(metric); });
  return found == kMetrics.end() ? std::nullopt : std::optional(*found);
}

std::optional<double> value_of(const RequestMetrics& metrics, Metric metric) { return definition_of(metric).of(metrics); }

}  // namespace mie::bench
