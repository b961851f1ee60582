#include "bench/metrics/aggregates.h"
#include "bench/metrics/percentiles.h"
#include "bench/metrics/request_metrics.h"
#include "bench/metrics/sample.h"
#include "bench/selftest/points.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>

namespace mie::bench {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Eight tokens that end at 5 s; the first four stamps are 1, 1.5, 2.5 and 4 s, the last event has five.
RequestRecord made_up() {
  RequestRecord record;
  record.status = RequestStatus::ok;
  record.intended_ns = -kSecond / 2;
  record.send_ns = 0;
  record.events = {{kSecond, 1}, {kSecond * 3 / 2, 1}, {kSecond * 5 / 2, 1}, {kSecond * 4, 5}};
  record.end_ns = kSecond * 5;
  return record;
}

SelfTestPoint exact(std::string check, std::optional<double> figure, double expected) {
  return {.number = 1,
          .check = std::move(check),
          .figure = figure ? fmt::format("{}", *figure) : "absent",
          .limit = fmt::format("= {}", expected),
          .passed = figure && *figure == expected};
}

const Percentile* percentile(const Distribution& distribution, int permille) {
  for (const Percentile& one : distribution.percentiles)
    if (one.permille == permille) return &one;
  return nullptr;
}

}  // namespace

SelfTestPoints check_hand_values() {
  const RequestRecord record = made_up();
  const RequestMetrics of = metrics_of(record);
  const Window window = {0, 5 * kSecond};
  const std::vector<double> values = {1, 2, 4};
  SelfTestPoints out = {exact("ttft, s", of.ttft, 1),
                        exact("ttft on the intended clock, s", of.ttft_intended, 1.5),
                        exact("lateness, s", of.lateness, 0.5),
                        exact("ttst, s", of.ttst, 0.5),
                        exact("total, s", of.e2el, 5),
                        exact("total on the intended clock, s", of.e2el_intended, 5.5),
                        exact("tpot, s", of.tpot, 3.0 / 7),
                        exact("normalized, s", of.normalized, 0.625),
                        exact("p50 of {1, 2, 4}", linear_percentile(values, 500), 2),
                        exact("p95 of {1, 2, 4}", linear_percentile(values, 950), 3.8),
                        exact("tokens/s of 8 in 5 s", rates_of(std::span(&record, 1), window).output, 1.6)};
  const std::vector<double> gaps = {0.5, 1, 1.5};
  for (std::size_t i = 0; i < gaps.size(); ++i)
    out.push_back(exact(fmt::format("event gap {}, s", i + 1),
                        i < of.event_gaps.size() ? std::optional(of.event_gaps[i]) : std::nullopt, gaps[i]));
  out.push_back(exact("itl of an event of five, s", of.itl.empty() ? std::nullopt : std::optional(of.itl.back()), 0.3));
  out.push_back(exact("stalls over max(200 ms, 5 medians)", of.stalls, 0));
  return out;
}

SelfTestPoints check_withholding() {
  SelfTestPoints out;
  for (const int permille : {900, 950, 990, 999}) {
    const std::int64_t needed = needed_for(permille);
    const auto shown = [permille](std::int64_t n) {
      std::vector<double> values(static_cast<std::size_t>(n));
      std::iota(values.begin(), values.end(), 0.0);
      const Distribution distribution = distribution_of(std::move(values));
      const Percentile* one = percentile(distribution, permille);
      return one != nullptr && !one->withheld;
    };
    out.push_back(
        {.number = 14,
         .check = fmt::format("p{:g} of {} and of {} values", permille / 10.0, needed - 1, needed),
         .figure = fmt::format("{}, {}", shown(needed - 1) ? "shown" : "withheld", shown(needed) ? "shown" : "withheld"),
         .limit = "withheld, shown",
         .passed = !shown(needed - 1) && shown(needed)});
  }
  return out;
}

}  // namespace mie::bench
