#include "bench/metrics/counter_check.h"
#include "bench/metrics/percentiles.h"
#include "bench/metrics/request_metrics.h"
#include "bench/selftest/known_loads.h"
#include "bench/selftest/points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace mie::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kRequests = 1000;  // as many as a p99 needs
constexpr double kMs = 1e3;

double p99_ttft_ms(const LoadResult& result) {
  std::vector<double> values;
  for (const RequestRecord& record : result.records)
    if (const auto ttft = metrics_of(record).ttft_intended) values.push_back(*ttft);
  if (values.size() < kRequests) return 0;  // some failed: no figure
  std::sort(values.begin(), values.end());
  return linear_percentile(values, 990) * kMs;
}

LoadResult through_a_stall(std::chrono::nanoseconds length, bool closed) {
  KnownAnswerServer server({.policy = paced_policy(closed ? 1ms : 0ms), .stalls = {{.at = 300ms, .length = length}}});
  LoadSettings settings = known_settings(server);
  if (closed) settings.closed = ClosedLoop{};
  return run_known(settings, known_requests(kRequests, 1, 1ms));
}

SelfTestPoint at_least(int number, std::string check, double figure, double limit) {
  return {number, std::move(check), fmt::format("{:.1f}", figure), fmt::format(">= {}", limit), figure >= limit};
}

SelfTestPoint at_most(int number, std::string check, double figure, double limit) {
  return {number, std::move(check), fmt::format("{:.1f}", figure), fmt::format("<= {}", limit), figure > 0 && figure <= limit};
}

}  // namespace

// Of 1000 requests 1 ms apart the ten slowest make the p99: those that were due in the first 10 ms of the stall.
SelfTestPoints check_stalls() {
  SelfTestPoints out;
  out.push_back(
      at_least(2, "50 ms stall, open loop: p99 ttft on the intended clock, ms", p99_ttft_ms(through_a_stall(50ms, false)), 39));
  out.push_back(at_least(2, "250 ms stall, open loop: the same, ms", p99_ttft_ms(through_a_stall(250ms, false)), 239));
  out.push_back(at_most(2, "250 ms stall, closed loop misses it: p99, ms", p99_ttft_ms(through_a_stall(250ms, true)), 50));

  KnownAnswerServer server({.policy = paced_policy(10ms), .stalls = {{.at = 55ms, .length = 250ms}}});
  const LoadResult inside = run_known(known_settings(server), known_requests(1, 20, 0ns));
  const double stall = inside.records.empty() ? 0 : metrics_of(inside.records[0]).stall_s * kMs;
  out.push_back(at_least(2, "250 ms stall inside an answer: `stall`, ms", stall, 250));
  return out;
}

SelfTestPoints check_token_events() {
  AnswerPlan plan;
  for (int tokens = 1; tokens <= 8; ++tokens) plan.events.push_back({.gap = 5ms * tokens, .tokens = tokens});
  KnownAnswerServer server({.policy = [&plan](const AskedRequest&) { return plan; }});
  LoadSettings settings = known_settings(server);
  settings.stream.token_ids = true;
  const LoadResult result = run_known(settings, known_requests(20, 36, 10ms));
  int right = 0;
  double least_itl = 1, least_gap = 1;  // s, of 5 ms a token: each gap over what was planned
  for (const RequestRecord& record : result.records) {
    const RequestMetrics of = metrics_of(record);
    const bool counted = record.status == RequestStatus::ok && of.event_gaps.size() == 7 && of.itl.size() == 35;
    right += counted ? 1 : 0;
    for (const double itl : of.itl) least_itl = std::min(least_itl, itl);
    for (std::size_t i = 0; i < of.event_gaps.size(); ++i)
      least_gap = std::min(least_gap, of.event_gaps[i] / (0.005 * static_cast<double>(i + 2)));
  }
  const auto n = static_cast<int>(result.records.size());
  return {
      {3, "answers of events of 1 to 8 tokens, counted right", fmt::format("{} of {}", right, n), "20 of 20", right == 20},
      {3, "least itl of 5 ms a token, ms", fmt::format("{:.3f}", least_itl * kMs), ">= 4.5", right > 0 && least_itl >= 0.0045},
      {3, "least event gap, of the planned one", fmt::format("{:.3f}", least_gap), ">= 0.9", right > 0 && least_gap >= 0.9}};
}

SelfTestPoints check_counters() {
  const auto mismatches = [](int error) {
    KnownAnswerServer server({.policy = paced_policy(0ns), .prompt_counter_error = error});
    const LoadResult result = run_known(known_settings(server), known_requests(50, 4, 1ms));
    return counter_mismatches(result.records, {.prompt_tokens = server.figures().prompt_tokens,
                                               .generation_tokens = server.figures().generation_tokens,
                                               .succeeded = server.figures().succeeded});
  };
  const auto honest = mismatches(0), off = mismatches(kKnownPromptTokens);
  return {{13, "counters of an honest server", honest.empty() ? "agree" : honest.front(), "agree", honest.empty()},
          {13, "prompt tokens off by one request", off.empty() ? "agree" : off.front(), "differ", off.size() == 1}};
}

}  // namespace mie::bench
