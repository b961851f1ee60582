#include "bench/load/client_figures.h"

#include "bench/metrics/percentiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace mie::bench {
namespace {

constexpr double kNs = 1e-9;
// Limits beyond which the client is taken for the bottleneck.
constexpr double kMostLateness = 1e-3;       // s, p99
constexpr double kMostLatenessOfGap = 0.05;  // p99, of the median gap between requests
constexpr double kMostCpu = 0.7;
constexpr double kMostLoopGap = 5e-3;  // s
constexpr double kMostCoalesced = 0.2;
constexpr double kMostRunQueue = 0.02;
constexpr double kLeastTimesNullServer = 3;

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void add_lateness(ClientFigures& out, std::span<const Exchange> exchanges) {
  std::vector<double> late;
  for (const Exchange& one : exchanges)
    if (one.send_ns != Exchange::kNever) late.push_back(static_cast<double>(one.send_ns - one.due_ns) * kNs);
  if (late.empty()) return;
  std::sort(late.begin(), late.end());
  out.lateness_p50 = linear_percentile(late, 500);
  out.lateness_p99 = linear_percentile(late, 990);
  out.lateness_max = late.back();
}

void add_reads(ClientFigures& out, std::span<const RequestRecord> records) {
  std::vector<double> gaps;
  std::int64_t reads = 0, shared = 0;
  for (const RequestRecord& record : records) {
    const auto& events = record.events;
    for (std::size_t i = 0; i < events.size();) {
      std::size_t next = i + 1;
      while (next < events.size() && events[next].at_ns == events[i].at_ns) ++next;
      ++reads;
      shared += next - i > 1 ? 1 : 0;
      if (next < events.size()) gaps.push_back(static_cast<double>(events[next].at_ns - events[i].at_ns) * kNs);
      i = next;
    }
  }
  out.coalesced_share = share(shared, reads);
  if (gaps.empty()) return;
  std::sort(gaps.begin(), gaps.end());
  out.read_gap_median = linear_percentile(gaps, 500);
}

}  // namespace

ClientFigures client_figures(const ClientUse& use, std::span<const Exchange> exchanges,
                             std::span<const RequestRecord> records) {
  ClientFigures out;
  add_lateness(out, exchanges);
  add_reads(out, records);
  out.cpu_share = share(std::max<std::int64_t>(use.cpu_ns - use.spin_ns, 0), use.wall_ns);
  out.spin_share = share(use.spin_ns, use.wall_ns);
  out.run_queue_share = share(use.run_queue_ns, use.wall_ns);
  out.loop_gap_max = static_cast<double>(use.longest_loop_ns) * kNs;
  out.loop_time_mean = share(use.busy_loop_ns, use.n_loops) * kNs;
  out.connect_errors = static_cast<int>(std::count_if(
      exchanges.begin(), exchanges.end(), [](const Exchange& one) { return one.ending == Ending::kConnectFailed; }));
  return out;
}

ClientVerdict client_verdict(const ClientFigures& figures, std::optional<double> median_gap_s,
                             std::optional<double> times_null_server) {
  ClientVerdict out;
  const auto unless = [&out](bool fine, std::string reason) {
    if (!fine) out.reasons.push_back(std::move(reason));
  };
  const double late = figures.lateness_p99;
  unless(late <= kMostLateness, fmt::format("lateness p99 is {:.3f} ms, over {:.0f} ms", late * 1e3, kMostLateness * 1e3));
  unless(!median_gap_s || late <= kMostLatenessOfGap * *median_gap_s,
         fmt::format("lateness p99 is {:.3f} ms, over 5 % of the median gap of {:.3f} ms", late * 1e3,
                     median_gap_s.value_or(0) * 1e3));
  unless(figures.cpu_share <= kMostCpu,
         fmt::format("the client's thread uses {:.0f} % of its core, over 70 %", figures.cpu_share * 100));
  unless(figures.loop_gap_max <= kMostLoopGap, fmt::format("{:.3f} ms between two looks at the sockets, over {:.0f} ms",
                                                           figures.loop_gap_max * 1e3, kMostLoopGap * 1e3));
  // Events that come apart by more than a turn of the loop, and arrive together all the same.
  unless(figures.coalesced_share <= kMostCoalesced || figures.read_gap_median <= figures.loop_time_mean,
         fmt::format("{:.0f} % of the reads hold several token events, over 20 %", figures.coalesced_share * 100));
  unless(figures.run_queue_share <= kMostRunQueue,
         fmt::format("the client waits for a core {:.1f} % of the time, over 2 %", figures.run_queue_share * 100));
  unless(!figures.out_of_sockets, "no sockets or ports are left");
  unless(!times_null_server || *times_null_server >= kLeastTimesNullServer,
         fmt::format("the null server takes only {:.1f} times the load, under 3", times_null_server.value_or(0)));
  return out;
}

std::optional<double> median_gap(std::span<const RequestRecord> records) {
  std::vector<std::int64_t> at;
  for (const RequestRecord& record : records) at.push_back(record.intended_ns);
  std::sort(at.begin(), at.end());
  std::vector<double> gaps;
  for (std::size_t i = 1; i < at.size(); ++i) gaps.push_back(static_cast<double>(at[i] - at[i - 1]) * kNs);
  if (gaps.empty()) return {};
  std::sort(gaps.begin(), gaps.end());
  const double median = linear_percentile(gaps, 500);
  if (median <= 0) return {};
  return median;
}

}  // namespace mie::bench
