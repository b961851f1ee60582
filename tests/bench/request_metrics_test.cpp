// Expected values are worked out by hand.
#include "bench/metrics/request_metrics.h"

#include <gtest/gtest.h>

#include "tests/bench/made_records.h"

namespace mie::bench {
namespace {

using test::answered;
using test::ns;
using testing::ElementsAre;
using testing::Optional;

TEST(RequestMetrics, OfFourTokensAt1And1Point5And2Point5And4) {
  const RequestMetrics of = metrics_of(answered({.send = 0, .tokens = {{1.0, 1}, {1.5, 1}, {2.5, 1}, {4.0, 1}}, .end = 5.0}));
  EXPECT_THAT(of.ttft, Optional(1.0));
  EXPECT_THAT(of.itl, ElementsAre(0.5, 1.0, 1.5));
  EXPECT_THAT(of.event_gaps, ElementsAre(0.5, 1.0, 1.5));
  EXPECT_THAT(of.e2el, Optional(5.0));
  EXPECT_THAT(of.ttst, Optional(0.5));
  EXPECT_THAT(of.tpot, Optional(1.0));         // (4 − 1) / 3
  EXPECT_THAT(of.normalized, Optional(1.25));  // 5 / 4
}

TEST(RequestMetrics, TheIntendedClockStartsEarlier) {
  const RequestMetrics of = metrics_of(answered({.intended = 1.0, .send = 1.25, .tokens = {{2.0, 1}}, .end = 2.5}));
  EXPECT_THAT(of.lateness, Optional(0.25));
  EXPECT_THAT(of.ttft, Optional(0.75));
  EXPECT_THAT(of.ttft_intended, Optional(1.0));
  EXPECT_THAT(of.e2el, Optional(1.25));
  EXPECT_THAT(of.e2el_intended, Optional(1.5));
}

TEST(RequestMetrics, AGapIsSharedByTheTokensOfItsEvent) {
  const RequestMetrics of = metrics_of(answered({.tokens = {{1.0, 2}, {3.0, 4}, {4.0, 1}}, .end = 4.0}));
  EXPECT_THAT(of.itl, ElementsAre(0.5, 0.5, 0.5, 0.5, 1.0));
  EXPECT_THAT(of.event_gaps, ElementsAre(2.0, 1.0));
  EXPECT_THAT(of.ttst, Optional(0.0));  // both in the first event
  EXPECT_THAT(of.tpot, Optional(0.5));  // 3 s, 7 tokens
}

TEST(RequestMetrics, EventsWithoutTokensDoNotCount) {
  const RequestMetrics of = metrics_of(answered({.tokens = {{0.25, 0}, {1.0, 1}, {1.5, 0}, {2.0, 1}}, .end = 2.0}));
  EXPECT_THAT(of.ttft, Optional(1.0));
  EXPECT_THAT(of.itl, ElementsAre(1.0));
}

TEST(RequestMetrics, WhatDidNotHappenIsAbsent) {
  const RequestMetrics one = metrics_of(answered({.tokens = {{1.0, 1}}, .end = 1.0}));
  EXPECT_EQ(one.tpot, std::nullopt);
  EXPECT_EQ(one.ttst, std::nullopt);
  EXPECT_EQ(value_of(one, Metric::kItl), std::nullopt);

  RequestRecord never;
  const RequestMetrics of = metrics_of(never);
  for (const Metric metric : kMetrics)
    if (metric != Metric::kStall) EXPECT_EQ(value_of(of, metric), std::nullopt) << name_of(metric);
}

TEST(RequestMetrics, AStallIsLongByItselfAndForItsRequest) {
  // Median gap 0.1 s, so the limit is 0.5 s: 0.45 is none, 0.75 is one.
  const RequestMetrics slow = metrics_of(
      answered({.tokens = {{1.0, 1}, {1.1, 1}, {1.2, 1}, {1.3, 1}, {1.75, 1}, {2.5, 1}, {2.6, 1}, {2.7, 1}}, .end = 2.7}));
  EXPECT_EQ(slow.stalls, 1);
  EXPECT_NEAR(slow.stall_s, 0.75, 1e-12);
  // Median gap 0.01 s: the limit is 0.2 s, and a gap of exactly that is none.
  const RequestMetrics fast =
      metrics_of(answered({.tokens = {{1.0, 1}, {1.01, 1}, {1.02, 1}, {1.22, 1}, {1.23, 1}}, .end = 2}));
  EXPECT_EQ(fast.stalls, 0);
}

TEST(RequestMetrics, UsageSaysHowManyTokensThereWere) {
  RequestRecord record = answered({.tokens = {{1.0, 1}, {3.0, 1}}, .end = 3.0});
  EXPECT_EQ(output_tokens_of(record), 2);
  record.output_tokens = 5;
  EXPECT_EQ(output_tokens_of(record), 5);
  EXPECT_THAT(metrics_of(record).tpot, Optional(0.5));  // 2 s / 4
}

TEST(RequestMetrics, EveryMetricHasItsName) {
  for (const Metric metric : kMetrics) EXPECT_THAT(metric_named(name_of(metric)), Optional(metric));
  EXPECT_THAT(metric_named("ttft_intended"), Optional(Metric::kTtftIntended));
  EXPECT_THAT(metric_named("stall"), Optional(Metric::kStall));
  EXPECT_EQ(metric_named("latency"), std::nullopt);
}

TEST(RequestMetrics, EveryStatusHasItsName) {
  for (const RequestStatus status : kStatuses) EXPECT_THAT(status_named(name_of(status)), Optional(status));
  EXPECT_THAT(status_named("cancelled_by_client"), Optional(RequestStatus::cancelled_by_client));
  EXPECT_THAT(status_named("wrong_answer"), Optional(RequestStatus::wrong_answer));
  EXPECT_EQ(status_named("fine"), std::nullopt);
}

}  // namespace
}  // namespace mie::bench
