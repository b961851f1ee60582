#include "bench/metrics/aggregates.h"

#include "bench/metrics/sample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mie::bench {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

bool compares(double value, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::kAtMost:
      return value <= limit;
    case Comparison::kBelow:
      return value < limit;
    case Comparison::kAtLeast:
      return value >= limit;
    case Comparison::kAbove:
      return value > limit;
  }
  return false;
}

bool ended_in(const Window& window, const RequestRecord& record) { return record.end_ns && window.holds(*record.end_ns); }

// Tokens by whole second of the window, the last part of one left out.
double peak_of(std::span<const RequestRecord> records, const Window& window, double mean_rate) {
  std::vector<std::int64_t> buckets(static_cast<std::size_t>((window.end_ns - window.begin_ns) / kSecond));
  if (buckets.empty()) return mean_rate;
  for (const RequestRecord& record : records) {
    for (const TokenEvent& event : record.events) {
      if (!window.holds(event.at_ns)) continue;
      const auto bucket = static_cast<std::size_t>((event.at_ns - window.begin_ns) / kSecond);
      if (bucket < buckets.size()) buckets[bucket] += event.tokens;
    }
  }
  return static_cast<double>(*std::max_element(buckets.begin(), buckets.end()));
}

}  // namespace

Rates rates_of(std::span<const RequestRecord> records, const Window& window) {
  if (window.end_ns <= window.begin_ns) return {};
  Rates sums;
  for (const RequestRecord& record : records) {
    if (ended_in(window, record) && succeeded(record)) sums.requests += 1;
    const auto first =
        std::find_if(record.events.begin(), record.events.end(), [](const auto& event) { return event.tokens > 0; });
    if (first != record.events.end() && window.holds(first->at_ns)) {
      sums.input += record.prompt_tokens;
      sums.cached_input += record.cached_tokens;
    }
    for (const TokenEvent& event : record.events) sums.output += window.holds(event.at_ns) ? event.tokens : 0;
  }
  const double s = window.seconds();
  Rates out = {
      .requests = sums.requests / s, .output = sums.output / s, .input = sums.input / s, .cached_input = sums.cached_input / s};
  out.peak_output = peak_of(records, window, out.output);
  return out;
}

Counts counts_of(std::span<const RequestRecord> records, const Window& window) {
  Counts out;
  for (const RequestRecord& record : records) {
    if (!offered_in(window, record)) continue;
    ++out.offered;
    out.sent += record.send_ns ? 1 : 0;
    ++out.by_status[static_cast<std::size_t>(record.status)];
    out.prompt_tokens += record.prompt_tokens;
    out.cached_tokens += record.cached_tokens;
    out.output_tokens += output_tokens_of(record);
  }
  return out;
}

std::optional<double> little_residual(std::span<const RequestRecord> records, const Window& window) {
  const double mean_in_flight = in_flight(flights_of(records), window).mean;
  double ended = 0, time = 0;
  for (const RequestRecord& record : records) {
    if (!record.send_ns || !ended_in(window, record)) continue;
    ended += 1;
    time += static_cast<double>(*record.end_ns - *record.send_ns) * 1e-9;
  }
  if (mean_in_flight == 0 || ended == 0) return {};
  return std::abs(mean_in_flight - time / window.seconds()) / mean_in_flight;
}

bool meets(const RequestRecord& record, std::span<const Slo> slos) {
  if (!succeeded(record)) return false;
  const RequestMetrics metrics = metrics_of(record);
  return std::all_of(slos.begin(), slos.end(), [&metrics](const Slo& slo) {
    const auto value = value_of(metrics, slo.metric);
    return value && compares(*value * 1e3, slo.comparison, slo.value_ms);
  });
}

Goodput goodput_of(std::span<const RequestRecord> records, std::span<const Slo> slos, const Window& window) {
  Goodput out;
  for (const RequestRecord& record : records) {
    if (!offered_in(window, record)) continue;
    ++out.offered;
    out.good += meets(record, slos) ? 1 : 0;
  }
  if (window.end_ns > window.begin_ns) out.rate = out.good / window.seconds();
  if (out.offered > 0) out.share = static_cast<double>(out.good) / out.offered;
  return out;
}

}  // namespace mie::bench
