#include "bench/live/live_figures.h"

#include "bench/metrics/percentiles.h"

#include <algorithm>
#include <vector>

namespace mie::bench {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kRecent = 10 * kSecond, kMinute = 60 * kSecond;

LatencyLine line_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {std::ssize(values), linear_percentile(values, 500), linear_percentile(values, 950), linear_percentile(values, 990)};
}

struct Latencies {
  std::vector<double> ttft, e2el;

  void add(const EndedRequest& request) {
    if (request.ttft_ns >= 0) ttft.push_back(static_cast<double>(request.ttft_ns) * 1e-9);
    e2el.push_back(static_cast<double>(request.e2el_ns) * 1e-9);
  }
};

}  // namespace

void LiveMeter::keep(const Look& look) {
  looks_.push_back(look);
  while (looks_.front().at_ns < look.at_ns - kMinute - kSecond) looks_.pop_front();
}

LiveFigures LiveMeter::look(std::int64_t now_ns, const MetricSums& server) {
  LiveFigures figures;
  const std::int64_t started_ns = progress_.started_ns.load();
  figures.n_requests = static_cast<std::int64_t>(progress_.n_requests());
  if (started_ns == 0) return figures;
  const std::int64_t elapsed_ns = std::max<std::int64_t>(0, now_ns - started_ns);
  figures.elapsed_s = static_cast<double>(elapsed_ns) * 1e-9;
  figures.sent = progress_.sent.load();
  figures.in_flight = progress_.in_flight.load();
  figures.waiting = progress_.waiting.load();
  figures.worst_lateness_s = static_cast<double>(progress_.worst_lateness_ns.load()) * 1e-9;

  Latencies all, recent;
  const auto ended = progress_.ended();
  for (const EndedRequest& request : ended) {
    if (!succeeded(request.status)) {
      ++figures.failed;
      continue;
    }
    all.add(request);
    if (request.at_ns >= elapsed_ns - kRecent) recent.add(request);
  }
  figures.ended = std::ssize(ended);
  figures.ttft = line_of(std::move(all.ttft));
  figures.e2el = line_of(std::move(all.e2el));
  figures.ttft_recent = line_of(std::move(recent.ttft));
  figures.e2el_recent = line_of(std::move(recent.e2el));

  keep({now_ns, progress_.tokens.load(), figures.ended});
  const auto at = [&](std::int64_t ns) {  // the last look that is not after it
    auto found = std::ranges::upper_bound(looks_, ns, {}, &Look::at_ns);
    return found == looks_.begin() ? Look{started_ns, 0, 0} : *--found;
  };
  for (std::size_t i = 0; i < figures.tokens_by_second.size(); ++i) {
    const std::int64_t until = now_ns - static_cast<std::int64_t>(figures.tokens_by_second.size() - 1 - i) * kSecond;
    if (until - kSecond < started_ns) continue;
    figures.tokens_by_second[i] = static_cast<double>(at(until).tokens - at(until - kSecond).tokens);
  }
  figures.tokens_per_s = figures.tokens_by_second.back();
  if (elapsed_ns >= kSecond) figures.requests_per_s = static_cast<double>(figures.ended - at(now_ns - kSecond).ended);

  figures.running = sum_of(server, "vllm:num_requests_running");
  figures.queued = sum_of(server, "vllm:num_requests_waiting");
  figures.kv_used = sum_of(server, "vllm:kv_cache_usage_perc");
  if (length_s_) {
    figures.left_s = std::max(0.0, *length_s_ - figures.elapsed_s);
  } else if (figures.ended > 0) {
    figures.left_s =
        figures.elapsed_s / static_cast<double>(figures.ended) * static_cast<double>(figures.n_requests - figures.ended);
  }
  return figures;
}

}  // namespace mie::bench
