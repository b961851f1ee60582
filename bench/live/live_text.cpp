#include "bench/live/live_text.h"

#include "server/json/response_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mie::bench {
namespace {

constexpr double kLateClient = 1e-3;  // s: from here on the client may be the bottleneck
constexpr int kBarWidth = 40;

std::string ms(std::optional<double> seconds) { return seconds ? fmt::format("{:.1f}", 1e3 * *seconds) : "-"; }

std::string latency_row(std::string_view name, const LatencyLine& recent, const LatencyLine& all) {
  return fmt::format("{:<6} {:>9} {:>9} {:>9}   {:>9} {:>9} {:>9}\n", name, ms(recent.p50), ms(recent.p95), ms(recent.p99),
                     ms(all.p50), ms(all.p95), ms(all.p99));
}

// A minute in eighths of the highest second.
std::string sparkline(const std::array<double, 60>& values) {
  static constexpr std::array<const char*, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double most = std::ranges::max(values);
  std::string line;
  for (const double value : values) line += kBars.at(most > 0 ? static_cast<std::size_t>(std::ceil(8 * value / most)) : 0);
  return line;
}

double part_done(const WorkloadSpec& spec, const LiveFigures& figures) {
  if (const auto longest = spec.requests.longest_s()) return std::min(1.0, figures.elapsed_s / *longest);
  return figures.n_requests > 0 ? static_cast<double>(figures.ended) / static_cast<double>(figures.n_requests) : 0;
}

std::string bar(double part) {
  const auto full = static_cast<std::size_t>(std::lround(part * kBarWidth));
  return "[" + std::string(full, '#') + std::string(kBarWidth - full, '.') + "]";
}

std::string plan_of(const ArrivalSpec& arrival) {
  if (!arrival.open()) return fmt::format("closed loop, {} in flight", arrival.concurrency);
  switch (arrival.law) {
    case ArrivalLaw::kBurst:
      return "all at once";
    case ArrivalLaw::kSine:
      return fmt::format("sine, {:g}/s on average", arrival.mean);
    case ArrivalLaw::kSteps:
      return "steps of rates";
    case ArrivalLaw::kTrace:
      return "as in " + arrival.file;
    default:
      return fmt::format("open loop, {:g}/s", arrival.rate);
  }
}

std::string share(std::optional<double> value) { return value ? fmt::format("{:.0f} %", 100 * *value) : "-"; }
std::string count(std::optional<double> value) { return value ? fmt::format("{:.0f}", *value) : "-"; }

void write_latency(json::JsonWriter& out, std::string_view name, const LatencyLine& line) {
  out.key(name).begin_object().member("n", line.n);
  out.member_or_null("p50_s", line.p50);
  out.member_or_null("p95_s", line.p95);
  out.member_or_null("p99_s", line.p99);
  out.end_object();
}

}  // namespace

std::string screen_of(const LoadTitle& title, const WorkloadSpec& spec, const LiveFigures& f) {
  const double done = part_done(spec, f);
  std::string text = fmt::format("{}{}{}  load {} of {}  {}\n", title.workload, title.arm.empty() ? "" : ", ", title.arm,
                                 title.number, title.n_loads, plan_of(spec.arrival));
  text += fmt::format("{} {:3.0f} %  {:.0f} s, {} left\n", bar(done), 100 * done, f.elapsed_s,
                      f.left_s ? fmt::format("{:.0f} s", *f.left_s) : "-");
  text += fmt::format("sent {}  ended {}  failed {}  in flight {}  held back {}\n", f.sent, f.ended, f.failed, f.in_flight,
                      f.waiting);
  text += fmt::format("tokens/s {:>8.0f}  requests/s {:>6.1f}\n", f.tokens_per_s, f.requests_per_s);
  text += sparkline(f.tokens_by_second) + "\n";
  text +=
      fmt::format("{:<6} {:>9} {:>9} {:>9}   {:>9} {:>9} {:>9}\n", "ms", "p50, 10 s", "p95", "p99", "p50, all", "p95", "p99");
  text += latency_row("TTFT", f.ttft_recent, f.ttft);
  text += latency_row("E2EL", f.e2el_recent, f.e2el);
  text += fmt::format("server  running {}  queued {}  KV used {}\n", count(f.running), count(f.queued), share(f.kv_used));
  text += fmt::format("client  worst lateness {:.2f} ms{}\n", 1e3 * f.worst_lateness_s,
                      f.worst_lateness_s > kLateClient ? "  LATE: see lateness p99 in the result" : "");
  return text;
}

std::string json_line_of(const LoadTitle& title, const LiveFigures& f) {
  json::JsonWriter out;
  out.begin_object().member("workload", std::string_view(title.workload)).member("arm", std::string_view(title.arm));
  out.member("load", title.number).member("loads", title.n_loads).key("elapsed_s").fixed(f.elapsed_s, 3);
  out.member("requests", f.n_requests).member("sent", f.sent).member("ended", f.ended).member("failed", f.failed);
  out.member("in_flight", f.in_flight).member("held_back", f.waiting);
  out.key("tokens_per_s").number(f.tokens_per_s).key("requests_per_s").number(f.requests_per_s);
  write_latency(out, "ttft", f.ttft);
  write_latency(out, "ttft_10s", f.ttft_recent);
  write_latency(out, "e2el", f.e2el);
  write_latency(out, "e2el_10s", f.e2el_recent);
  out.member_or_null("server_running", f.running);
  out.member_or_null("server_queued", f.queued);
  out.member_or_null("server_kv_used", f.kv_used);
  out.member_or_null("left_s", f.left_s);
  out.key("worst_lateness_s").number(f.worst_lateness_s);
  return out.end_object().take() + "\n";
}

}  // namespace mie::bench
