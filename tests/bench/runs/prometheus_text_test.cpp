// Sums over labels of what /metrics says. The text is that of the exposition format's documentation and of servers we meet.
#include "bench/run/prometheus_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(PrometheusText, SumsEachSeriesOverItsLabels) {
  const MetricSums sums = metric_sums(
      "# HELP vllm:prompt_tokens_total Number of prefill tokens\n"
      "# TYPE vllm:prompt_tokens_total counter\n"
      "vllm:prompt_tokens_total{model_name=\"m\"} 12\n"
      "vllm:request_success_total{finished_reason=\"stop\",model_name=\"m\"} 3\n"
      "vllm:request_success_total{finished_reason=\"length\",model_name=\"m\"} 4 1395066363000\n"
      "process_resident_memory_bytes 1.5e+08\n");
  EXPECT_THAT(sums, ElementsAre(Pair("process_resident_memory_bytes", 1.5e8), Pair("vllm:prompt_tokens_total", 12.0),
                                Pair("vllm:request_success_total", 7.0)));
}

TEST(PrometheusText, LabelsMayHoldAnything) {
  const MetricSums sums = metric_sums("a{path=\"C:\\\\DIR\\\\\",error=\"no \\\"file\\\" in } here {\"} 2\na{} 3\n");
  EXPECT_THAT(sums, ElementsAre(Pair("a", 5.0)));
}

TEST(PrometheusText, LeavesOutBucketsAndWhatIsNoNumber) {
  EXPECT_THAT(metric_sums("h_bucket{le=\"0.1\"} 4\nh_sum 1\nh_count 4\nbroken\nx notanumber\n\ny{a=\"b\"}\n"),
              ElementsAre(Pair("h_count", 4.0), Pair("h_sum", 1.0)));
  EXPECT_THAT(metric_sums(""), IsEmpty());
}

TEST(PrometheusText, TheLastLineNeedsNoNewline) { EXPECT_THAT(metric_sums("a 1"), ElementsAre(Pair("a", 1.0))); }

}  // namespace
}  // namespace mie::bench
