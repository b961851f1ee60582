// Expected values are worked out by hand.
#include "bench/metrics/aggregates.h"
#include "bench/metrics/counter_check.h"
#include "bench/metrics/sample.h"

#include "tests/bench/made_records.h"

#include <gtest/gtest.h>

namespace mie::bench {
namespace {

using test::answered;
using test::failed;
using test::ns;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

Window window(double begin, double end) { return {ns(begin), ns(end)}; }

TEST(InFlight, SweepsHalfOpenIntervals) {
  const std::vector<Window> flights = {window(0, 2), window(1, 3), window(2, 4)};  // 1 2 2 1
  const InFlight all = in_flight(flights, window(0, 4));
  EXPECT_DOUBLE_EQ(all.mean, 1.5);
  EXPECT_EQ(all.max, 2);  // the first ends as the third begins
}

TEST(InFlight, CountsOnlyWhatIsInsideTheWindow) {
  const std::vector<Window> flights = {window(0, 10), window(0, 1), window(4, 5), window(4.5, 20)};
  const InFlight part = in_flight(flights, window(4, 6));
  EXPECT_DOUBLE_EQ(part.mean, (2 + 1 + 1.5) / 2);
  EXPECT_EQ(part.max, 3);
  EXPECT_EQ(in_flight({}, window(4, 6)).max, 0);
}

TEST(InFlight, TheUnendedAreInFlightAndTheUnsentAreNot) {
  std::vector<RequestRecord> records = {failed(RequestStatus::client_timeout, {.send = 1}), RequestRecord{}};
  EXPECT_DOUBLE_EQ(in_flight(flights_of(records), window(0, 2)).mean, 0.5);
}

TEST(Rates, EightTokensIn5SecondsAre1Point6ASecond) {
  const std::vector records = {answered({.tokens = {{1.0, 3}, {2.0, 3}, {4.0, 2}}, .end = 5.0})};
  EXPECT_DOUBLE_EQ(rates_of(records, window(0, 5)).output, 1.6);
}

TEST(Rates, TokensCountWhereTheyAreStamped) {
  std::vector records = {answered({.tokens = {{0.5, 1}, {1.0, 2}, {2.5, 4}, {3.0, 8}}, .end = 3.0}),
                         answered({.send = 1, .tokens = {{1.5, 1}}, .end = 2.0})};
  records[0].prompt_tokens = 100;
  records[1].prompt_tokens = 10;
  records[1].cached_tokens = 6;
  const Rates rates = rates_of(records, window(1, 3));
  EXPECT_DOUBLE_EQ(rates.output, 3.5);  // 2 + 4 + 1
  EXPECT_DOUBLE_EQ(rates.input, 5);     // the second's first token only
  EXPECT_DOUBLE_EQ(rates.cached_input, 3);
  EXPECT_DOUBLE_EQ(rates.total(), 8.5);
  EXPECT_DOUBLE_EQ(rates.requests, 0.5);   // the first ends at 3, outside
  EXPECT_DOUBLE_EQ(rates.peak_output, 4);  // 3 in [1, 2), 4 in [2, 3)
}

TEST(Rates, OnlyWhatEndedWellIsACompletion) {
  const std::vector records = {answered({.end = 1}), failed(RequestStatus::stream_error, {.end = 1}),
                               failed(RequestStatus::truncated_by_length, {.end = 1})};
  EXPECT_DOUBLE_EQ(rates_of(records, window(0, 2)).requests, 1);
}

TEST(Counts, AreThoseOfTheOfferedByStatus) {
  std::vector records = {answered({.intended = 1, .end = 9}), failed(RequestStatus::reset, {.intended = 2}),
                         failed(RequestStatus::not_sent, {.intended = 3}), answered({.intended = 4, .end = 5}),
                         answered({.intended = 1.5, .end = 2})};
  records[2].send_ns.reset();
  records[4].warmup = true;
  const Counts counts = counts_of(records, window(1, 4));
  EXPECT_EQ(counts.offered, 3);
  EXPECT_EQ(counts.sent, 2);
  EXPECT_EQ(counts.by_status[static_cast<std::size_t>(RequestStatus::ok)], 1);
  EXPECT_EQ(counts.by_status[static_cast<std::size_t>(RequestStatus::reset)], 1);
  EXPECT_EQ(counts.by_status[static_cast<std::size_t>(RequestStatus::not_sent)], 1);
}

TEST(Little, HoldsInASteadyWindowAndNotAtItsStart) {
  std::vector<RequestRecord> records;  // one a second, each in flight for 3 s: L = 3
  for (int i = 0; i < 100; ++i) records.push_back(answered({.intended = 1.0 * i, .send = 1.0 * i, .end = i + 3.0}));
  EXPECT_THAT(little_residual(records, window(10, 90)), Optional(testing::DoubleNear(0, 1e-12)));
  // [0, 4): 1 2 3 3 in flight, mean 9/4; one ends, after 3 s: λW = 3/4.
  EXPECT_THAT(little_residual(records, window(0, 4)), Optional(testing::DoubleNear((2.25 - 0.75) / 2.25, 1e-12)));
  EXPECT_EQ(little_residual({}, window(0, 4)), std::nullopt);
}

TEST(Goodput, EveryObjectiveMustBeMetAndAMissingFigureMeetsNone) {
  const std::vector<Slo> slos = {{Metric::kTtft, Comparison::kAtMost, 500}, {Metric::kTpot, Comparison::kBelow, 100}};
  const RequestRecord good = answered({.tokens = {{0.5, 1}, {0.5625, 1}}, .end = 1});
  const RequestRecord late = answered({.tokens = {{0.75, 1}, {0.8125, 1}}, .end = 1});
  const RequestRecord slow = answered({.tokens = {{0.25, 1}, {0.375, 1}}, .end = 1});
  const RequestRecord one_token = answered({.tokens = {{0.25, 1}}, .end = 1});
  const RequestRecord broken = failed(RequestStatus::stream_error, {.tokens = {{0.25, 1}, {0.3125, 1}}, .end = 1});
  const std::vector records = {good, late, slow, one_token, broken};
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(meets(records[i], slos), i == 0) << i;
  const Goodput goodput = goodput_of(records, slos, window(0, 2));
  EXPECT_EQ(goodput.good, 1);
  EXPECT_EQ(goodput.offered, 5);
  EXPECT_DOUBLE_EQ(goodput.rate, 0.5);
  EXPECT_DOUBLE_EQ(goodput.share, 0.2);
}

TEST(Goodput, ObjectivesHaveADirection) {
  const RequestRecord record = answered({.tokens = {{0.5, 1}}, .end = 1});
  const auto met = [&record](Comparison comparison, double value_ms) {
    return meets(record, std::vector<Slo>{{Metric::kTtft, comparison, value_ms}});
  };
  EXPECT_TRUE(met(Comparison::kAtMost, 500) && met(Comparison::kAtLeast, 500));
  EXPECT_FALSE(met(Comparison::kBelow, 500) || met(Comparison::kAbove, 500));
  EXPECT_TRUE(met(Comparison::kBelow, 501) && met(Comparison::kAbove, 499));
}

std::vector<RequestRecord> one_of_each_end() {
  return {answered({.intended = 1, .send = 1.5, .tokens = {{2, 1}}, .end = 3}),
          failed(RequestStatus::client_timeout, {.intended = 2, .send = 2.5, .end = 4}),
          failed(RequestStatus::cancelled_by_client, {.intended = 2, .send = 2, .end = 3}),
          answered({.intended = 9, .send = 9, .tokens = {{10, 1}}, .end = 10})};
}

TEST(Sample, TheOkViewLeavesTheFailedOut) {
  const auto records = one_of_each_end();
  const Sample sample = sample_of(records, Metric::kE2el, View::kOk, window(0, 5), {.limit_ns = ns(7)});
  EXPECT_THAT(sample.values, ElementsAre(1.5));
  EXPECT_EQ(sample.n_censored, 0);
}

TEST(Sample, TheAllViewHasTheFailedAtTheirLimit) {
  const auto records = one_of_each_end();
  const Censoring limit = {.limit_ns = ns(7)}, none = {.run_end_ns = ns(20)};
  const Sample limited = sample_of(records, Metric::kE2el, View::kAll, window(0, 5), limit);
  EXPECT_THAT(limited.values, ElementsAre(1.5, 7));
  EXPECT_EQ(limited.n_censored, 1);
  EXPECT_THAT(sample_of(records, Metric::kE2el, View::kAll, window(0, 5), none).values, ElementsAre(1.5, 17.5));
  EXPECT_THAT(sample_of(records, Metric::kTtftIntended, View::kAll, window(0, 5), none).values, ElementsAre(1, 18));
}

TEST(Sample, TheUndefinedAreCounted) {
  const auto records = one_of_each_end();
  const Sample sample = sample_of(records, Metric::kTpot, View::kAll, window(0, 5), {.limit_ns = ns(7)});
  EXPECT_THAT(sample.values, IsEmpty());
  EXPECT_EQ(sample.n_undefined, 1);
}

TEST(Sample, GapsArePooled) {
  const std::vector records = {answered({.tokens = {{1, 1}, {2, 1}}, .end = 2}),
                               answered({.tokens = {{1, 1}, {4, 2}}, .end = 4})};
  EXPECT_THAT(sample_of(records, Metric::kItl, View::kOk, window(0, 5), {}).values, ElementsAre(1, 1.5, 1.5));
}

std::vector<RequestRecord> two_of_ten_and_five() {
  std::vector records = {answered({.tokens = {{1, 5}}, .end = 1}), answered({.tokens = {{1, 5}}, .end = 1})};
  for (RequestRecord& record : records) {
    record.planned_prompt = record.prompt_tokens = 10;
    record.output_tokens = record.requested_output = 5;
  }
  return records;
}

TEST(CounterCheck, EqualWorkIsEqualWork) {
  EXPECT_THAT(counter_mismatches(two_of_ten_and_five(), {.prompt_tokens = 20, .generation_tokens = 10, .succeeded = 2}),
              IsEmpty());
  EXPECT_THAT(counter_mismatches(two_of_ten_and_five(), {}), IsEmpty());
}

TEST(CounterCheck, APromptCounterThatIsOffByOneRequestIsSeen) {
  EXPECT_THAT(counter_mismatches(two_of_ten_and_five(), {.prompt_tokens = 30}), ElementsAre(HasSubstr("prompt tokens")));
  EXPECT_THAT(counter_mismatches(two_of_ten_and_five(), {.prompt_tokens = 19}), ElementsAre(HasSubstr("20")));
  EXPECT_THAT(counter_mismatches(two_of_ten_and_five(), {.generation_tokens = 11}), ElementsAre(HasSubstr("output tokens")));
}

TEST(CounterCheck, OfABrokenAnswerTheServerMayHaveCountedAnything) {
  auto records = two_of_ten_and_five();
  records[1].status = RequestStatus::client_timeout;
  for (const std::int64_t counted : {10, 15, 20})
    EXPECT_THAT(counter_mismatches(records, {.prompt_tokens = counted}), IsEmpty()) << counted;
  EXPECT_THAT(counter_mismatches(records, {.prompt_tokens = 9}), ElementsAre(HasSubstr("10 to 20")));
  records[1].status = RequestStatus::rejected_429;  // never taken up
  EXPECT_THAT(counter_mismatches(records, {.prompt_tokens = 20}), testing::SizeIs(1));
}

}  // namespace
}  // namespace mie::bench
