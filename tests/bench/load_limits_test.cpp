// Where the client holds back, goes away or is stopped. Times are lower bounds that the server's pacing guarantees.
#include "bench/load/load_run.h"

#include "bench/metrics/request_metrics.h"
#include "tests/bench/loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace mie::bench {
namespace {

using namespace test;

constexpr double kMs = 1e-3;

TEST(LoadLimits, OneTooManyInFlightWaitsAndKeepsItsIntendedTime) {
  KnownAnswerServer server({.policy = paced(20ms)});
  LoadSettings settings = settings_for(server);
  settings.max_in_flight = 1;
  const LoadResult result = loaded(settings, planned(3, 1));
  EXPECT_EQ(n_with(result, RequestStatus::ok), 3);
  EXPECT_EQ(server.figures().most_in_flight, 1);
  EXPECT_EQ(result.records[2].intended_ns, 0);
  EXPECT_GE(*metrics_of(result.records[2]).lateness, 40 * kMs);
  EXPECT_LT(result.client.lateness_max, 40 * kMs);  // the limit's doing, not the client's
}

TEST(LoadLimits, OneTooManyInFlightIsDroppedWhereThatIsAskedFor) {
  KnownAnswerServer server({.policy = paced(50ms)});
  LoadSettings settings = settings_for(server);
  settings.max_in_flight = 1;
  settings.overflow = Overflow::kDrop;
  const LoadResult result = loaded(settings, planned(3, 1));
  EXPECT_EQ(n_with(result, RequestStatus::ok), 1);
  EXPECT_EQ(n_with(result, RequestStatus::not_sent), 2);
  EXPECT_EQ(server.figures().requests, 1);
  EXPECT_EQ(result.records[2].send_ns, std::nullopt);
}

TEST(LoadLimits, ASlowReaderTakesItsTimeAndGetsEverything) {
  KnownAnswerServer server({.policy = paced(0ns)});
  auto requests = planned(2, 40);
  requests[1].read_bytes_per_s = 40'000;
  const LoadResult result = loaded(settings_for(server), requests);
  EXPECT_EQ(n_with(result, RequestStatus::ok), 2);
  const RequestRecord& slow = result.records[1];
  EXPECT_EQ(slow.output_tokens, 40);
  // Reads of 800 bytes, one every 20 ms, the first at once.
  EXPECT_GE(*slow.end_ns - *slow.send_ns, (slow.bytes_in / 800 - 1) * 20'000'000);
}

TEST(LoadLimits, AReaderGoesAwayAfterATime) {
  KnownAnswerServer server({.policy = paced(20ms)});
  auto requests = planned(1, 100);
  requests[0].cancel.after = 50ms;
  const LoadResult result = loaded(settings_for(server), requests);
  const RequestRecord& record = result.records[0];
  EXPECT_EQ(record.status, RequestStatus::cancelled_by_client);
  EXPECT_GE(*record.end_ns - *record.send_ns, 50'000'000);
  EXPECT_LT(record.events.size(), 100U);
  while (server.figures().gone == 0) std::this_thread::sleep_for(1ms);  // the server hears of it
}

TEST(LoadLimits, AReaderGoesAwayAfterSomeTokens) {
  KnownAnswerServer server({.policy = paced(5ms)});
  auto requests = planned(2, 60);
  requests[0].cancel.after_tokens = 4;
  const LoadResult result = loaded(settings_for(server), requests);
  EXPECT_EQ(result.parse, ParseMode::kLive);
  EXPECT_EQ(result.records[0].status, RequestStatus::cancelled_by_client);
  EXPECT_GE(result.records[0].events.size(), 4U);
  EXPECT_LT(result.records[0].events.size(), 60U);
  EXPECT_EQ(result.records[1].status, RequestStatus::ok) << result.records[1].error;
}

TEST(LoadLimits, NothingIsSentAfterItsTime) {
  KnownAnswerServer server({.policy = paced(0ns)});
  LoadSettings settings = settings_for(server);
  settings.send_for = 50ms;
  const LoadResult result = loaded(settings, planned(4, 1, 25ms));  // 0, 25 | 50, 75
  EXPECT_EQ(n_with(result, RequestStatus::ok), 2);
  EXPECT_EQ(n_with(result, RequestStatus::not_sent), 2);
  EXPECT_EQ(result.broken_off, "");
}

TEST(LoadLimits, StoppedOnceItSendsNoMoreAndWaitsForWhatIsInFlight) {
  KnownAnswerServer server({.policy = paced(50ms)});
  const auto run = prepared(settings_for(server), planned(2, 2, 5s));
  std::thread stopper([&] {
    while (run->progress().sent == 0) std::this_thread::sleep_for(1ms);
    run->stop();
  });
  run->drive();
  stopper.join();
  const LoadResult result = run->result();
  EXPECT_EQ(result.records[0].status, RequestStatus::ok) << result.records[0].error;
  EXPECT_EQ(result.records[1].status, RequestStatus::not_sent);
  EXPECT_EQ(result.broken_off, "stopped");
}

TEST(LoadLimits, StoppedTwiceItCutsOffWhatIsInFlight) {
  KnownAnswerServer server({.policy = paced(5s)});
  const auto run = prepared(settings_for(server), planned(1, 2));
  std::thread stopper([&] {
    while (run->progress().sent == 0) std::this_thread::sleep_for(1ms);
    run->stop();
    run->stop();
  });
  run->drive();
  stopper.join();
  EXPECT_EQ(run->result().records[0].status, RequestStatus::cancelled_by_client);
  EXPECT_LT(run->result().length_ns, 5'000'000'000);
}

TEST(LoadLimits, SaysThatTheMemoryForAnswersWasFull) {
  KnownAnswerServer server({.policy = paced(1ms)});
  LoadSettings settings = settings_for(server);
  settings.receive_bytes = 2000;
  const LoadResult result = loaded(settings, planned(4, 20));
  EXPECT_THAT(result.broken_off, testing::HasSubstr("full"));
  EXPECT_EQ(n_with(result, RequestStatus::ok), 0);
}

}  // namespace
}  // namespace mie::bench
