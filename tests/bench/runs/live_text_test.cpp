// What a display shows of a load whose course is made up.
#include "bench/live/live_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

namespace mie::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kSecond = 1'000'000'000;

// Ten requests; four ended in the first three seconds, one of them badly.
struct Course {
  Course() {
    progress.started_ns = 5 * kSecond;
    progress.sent = 6;
    progress.in_flight = 2;
    for (const int n : {1, 2, 3})
      progress.add(
          {.at_ns = n * kSecond, .ttft_ns = n * kSecond / 10, .e2el_ns = n * kSecond / 2, .status = RequestStatus::ok});
    progress.add({.at_ns = 3 * kSecond, .e2el_ns = kSecond, .status = RequestStatus::http_5xx});
  }
  LoadProgress progress{10};
};

TEST(LiveFigures, AreOfWhatEndedSoFar) {
  Course course;
  LiveMeter meter(course.progress, {});
  course.progress.tokens = 100;
  (void)meter.look(7 * kSecond, {});
  course.progress.tokens = 160;
  const LiveFigures figures = meter.look(8 * kSecond, {{"vllm:num_requests_running", 2}, {"vllm:kv_cache_usage_perc", 0.25}});
  EXPECT_DOUBLE_EQ(figures.elapsed_s, 3);
  EXPECT_EQ(figures.ended, 4);
  EXPECT_EQ(figures.failed, 1);
  EXPECT_EQ(figures.ttft.n, 3);
  EXPECT_DOUBLE_EQ(*figures.ttft.p50, 0.2);
  EXPECT_DOUBLE_EQ(figures.tokens_per_s, 60) << "of the last second";
  EXPECT_DOUBLE_EQ(*figures.running, 2);
  EXPECT_FALSE(figures.queued);
  EXPECT_DOUBLE_EQ(*figures.left_s, 3.0 / 4 * 6) << "six are left at four in 3 s";
}

TEST(LiveFigures, RecentOnesAreOfTenSeconds) {
  Course course;
  LiveMeter meter(course.progress, {});
  const LiveFigures figures = meter.look(17 * kSecond + kSecond / 2, {});  // 12.5 s in: those from 2.5 s on
  EXPECT_EQ(figures.ttft_recent.n, 1);
  EXPECT_DOUBLE_EQ(*figures.ttft_recent.p50, 0.3);
  EXPECT_EQ(figures.ttft.n, 3);
}

TEST(LiveFigures, BeforeTheClockRunsThereAreNone) {
  LoadProgress progress(10);
  LiveMeter meter(progress, 30.0);
  const LiveFigures figures = meter.look(99 * kSecond, {});
  EXPECT_EQ(figures.elapsed_s, 0);
  EXPECT_EQ(figures.n_requests, 10);
}

TEST(LiveScreen, HasItsLinesAndWidth) {
  Course course;
  LiveMeter meter(course.progress, {});
  LiveFigures figures = meter.look(8 * kSecond, {});
  WorkloadSpec spec;
  spec.arrival.law = ArrivalLaw::kPoisson;
  spec.arrival.rate = 2.5;
  const LoadTitle title{.workload = "chat", .arm = "contiguous", .number = 2, .n_loads = 10};
  const std::string screen = screen_of(title, spec, figures);
  EXPECT_EQ(std::ranges::count(screen, '\n'), kScreenLines);
  EXPECT_THAT(screen, HasSubstr("chat, contiguous  load 2 of 10  open loop, 2.5/s"));
  EXPECT_THAT(screen, HasSubstr(" 40 %"));
  EXPECT_THAT(screen, HasSubstr("sent 6  ended 4  failed 1  in flight 2"));
  EXPECT_THAT(screen, Not(HasSubstr("LATE")));
  figures.worst_lateness_s = 0.002;
  EXPECT_THAT(screen_of(title, spec, figures), HasSubstr("LATE"));
}

TEST(LiveJson, IsOneObjectALine) {
  Course course;
  LiveMeter meter(course.progress, {});
  const std::string line = json_line_of({.workload = "chat", .number = 1, .n_loads = 1}, meter.look(8 * kSecond, {}));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(line);
  EXPECT_EQ(std::int64_t(root["ended"]), 4);
  EXPECT_EQ(double(root["ttft"]["p50_s"]), 0.2);
  EXPECT_TRUE(root["server_running"].is_null());
}

}  // namespace
}  // namespace mie::bench
