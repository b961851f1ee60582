#include "core/base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace mie {
namespace {

using testing::HasSubstr;

prometheus::Family<prometheus::Counter>& counters(MetricsRegistry& metrics, const std::string& name, const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(metrics.families());
}

// Value of an unlabelled series in the text format.
double value_of(const std::string& text, const std::string& series) {
  const std::size_t at = text.find("\n" + series + " ");
  if (at == std::string::npos) throw std::runtime_error("no series " + series);
  return std::stod(text.substr(at + series.size() + 2));
}

// The expected text follows the exposition format 0.0.4: help, type, then one line a series.
TEST(MetricsRegistry, ScrapesTheTextFormat) {
  MetricsRegistry metrics;
  counters(metrics, "mie_tokens_total", "Tokens sampled.").Add({{"kind", "prompt"}}).Increment(3);
  EXPECT_EQ(metrics.scrape(),
            "# HELP mie_tokens_total Tokens sampled.\n"
            "# TYPE mie_tokens_total counter\n"
            "mie_tokens_total{kind=\"prompt\"} 3\n");
}

TEST(MetricsRegistry, HistogramBucketsAreCumulative) {
  MetricsRegistry metrics;
  auto& family = prometheus::BuildHistogram().Name("mie_step_seconds").Help("h").Register(metrics.families());
  auto& steps = family.Add({}, prometheus::Histogram::BucketBoundaries{1, 2});
  for (const double seconds : {0.5, 1.5, 1.5, 9.0}) steps.Observe(seconds);
  const std::string text = metrics.scrape();
  EXPECT_THAT(text, HasSubstr("mie_step_seconds_bucket{le=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("mie_step_seconds_bucket{le=\"2\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("mie_step_seconds_bucket{le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("mie_step_seconds_sum 12.5\n"));
}

TEST(MetricsRegistry, TwoPartsCannotRegisterOneName) {
  MetricsRegistry metrics;
  counters(metrics, "mie_requests_total", "From one part.");
  EXPECT_THROW(counters(metrics, "mie_requests_total", "From another."), std::invalid_argument);
}

// Each round moves one request from waiting to running under the lock; a scrape must never see it in both or in neither.
TEST(MetricsRegistry, AScrapeSeesWholeGroups) {
  MetricsRegistry metrics;
  auto& gauges = prometheus::BuildGauge().Name("mie_requests").Help("h").Register(metrics.families());
  auto& waiting = gauges.Add({{"state", "waiting"}});
  auto& running = gauges.Add({{"state", "running"}});
  waiting.Set(1);
  std::atomic<bool> done{false};
  std::jthread mover([&] {
    while (!done) {
      const auto held = metrics.lock();
      const double was_waiting = waiting.Value();
      waiting.Set(running.Value());
      running.Set(was_waiting);
    }
  });
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = metrics.scrape();
    const double sum = value_of(text, "mie_requests{state=\"waiting\"}") + value_of(text, "mie_requests{state=\"running\"}");
    if (sum != 1) ADD_FAILURE() << text;
  }
  done = true;
}

}  // namespace
}  // namespace mie
