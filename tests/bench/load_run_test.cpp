// The load client against a server whose answers are known. Times are lower bounds that the server's pacing guarantees.
#include "bench/load/load_run.h"

#include "bench/metrics/counter_check.h"
#include "bench/metrics/request_metrics.h"
#include "tests/bench/loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace mie::bench {
namespace {

using namespace test;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::Optional;

constexpr double kMs = 1e-3;

std::vector<int> tokens_of(const RequestRecord& record) {
  std::vector<int> out;
  for (const TokenEvent& event : record.events) out.push_back(event.tokens);
  return out;
}

TEST(LoadRun, RecordsWhatTheServerWasPlannedToSay) {
  KnownAnswerServer server({.policy = paced(20ms)});
  LoadSettings settings = settings_for(server);
  settings.stream.token_ids = true;
  const LoadResult result = loaded(settings, planned(3, 4, 5ms));
  ASSERT_EQ(result.records.size(), 3U);
  EXPECT_EQ(result.broken_off, "");
  EXPECT_EQ(result.parse, ParseMode::kLate);
  for (int i = 0; i < 3; ++i) {
    const RequestRecord& record = result.records[static_cast<std::size_t>(i)];
    EXPECT_EQ(record.status, RequestStatus::ok) << record.error;
    EXPECT_EQ(record.http_status, 200);
    EXPECT_EQ(record.finish_reason, "length");
    EXPECT_EQ(record.prompt_tokens, 3);
    EXPECT_EQ(record.output_tokens, 4);
    EXPECT_EQ(record.text, " w w w w");
    EXPECT_EQ(record.token_source, TokenSource::kTokenIds);
    EXPECT_EQ(record.intended_ns, i * 5'000'000);
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(record.tokens[static_cast<std::size_t>(k)], TokenId(known_token(static_cast<std::uint64_t>(i), k)));
    const RequestMetrics metrics = metrics_of(record);
    EXPECT_GE(*metrics.lateness, 0);
    EXPECT_GE(*metrics.ttft, 20 * kMs);
    EXPECT_GE(*metrics.e2el, 80 * kMs);
    EXPECT_EQ(tokens_of(record), (std::vector<int>{1, 1, 1, 1}));
    EXPECT_LE(*record.send_ns, *record.sent_ns);
    EXPECT_LE(*record.sent_ns, *record.status_ns);
    EXPECT_LE(*record.status_ns, *record.first_event_ns);
    EXPECT_LE(*record.first_event_ns, *record.end_ns);
  }
  EXPECT_THAT(counter_mismatches(result.records, {.prompt_tokens = server.figures().prompt_tokens,
                                                  .generation_tokens = server.figures().generation_tokens,
                                                  .succeeded = server.figures().succeeded}),
              testing::IsEmpty());
}

TEST(LoadRun, EventsOfSeveralTokensAreCountedByEverySource) {
  KnownAnswerServer server(
      {.policy = [](const AskedRequest&) { return AnswerPlan{.events = {{20ms, 1}, {20ms, 2}, {40ms, 8}}}; }});
  for (const TokenSource source : {TokenSource::kTokenIds, TokenSource::kUsage}) {
    LoadSettings settings = settings_for(server);
    settings.stream.token_ids = source == TokenSource::kTokenIds;
    settings.stream.continuous_usage = source == TokenSource::kUsage;
    const LoadResult result = loaded(settings, planned(1, 11));
    const RequestRecord& record = result.records.at(0);
    EXPECT_EQ(record.status, RequestStatus::ok) << record.error;
    EXPECT_EQ(record.token_source, source);
    EXPECT_THAT(tokens_of(record), ElementsAre(1, 2, 8));
    const RequestMetrics metrics = metrics_of(record);
    ASSERT_EQ(metrics.itl.size(), 10U);
    EXPECT_EQ(metrics.itl[0], metrics.event_gaps[0] / 2);
    EXPECT_EQ(metrics.itl[9], metrics.event_gaps[1] / 8);
  }
  // One an event is wrong here, and is seen to be.
  EXPECT_EQ(loaded(settings_for(server), planned(1, 11)).records.at(0).status, RequestStatus::count_mismatch);
}

TEST(LoadRun, SpeaksChat) {
  KnownAnswerServer server({.policy = paced(1ms)});
  LoadSettings settings = settings_for(server);
  settings.endpoint = Endpoint::kChat;
  auto requests = planned(2, 3);
  for (PlannedRequest& one : requests) one.text = "one two";
  const LoadResult result = loaded(settings, requests);
  for (const RequestRecord& record : result.records) {
    EXPECT_EQ(record.status, RequestStatus::ok) << record.error;
    EXPECT_EQ(record.prompt_tokens, 2);
    EXPECT_EQ(record.token_source, TokenSource::kOnePerEvent);
    EXPECT_THAT(tokens_of(record), ElementsAre(1, 1, 1));  // the chunk with the role is none
    EXPECT_LE(*record.first_event_ns, record.events[0].at_ns);
  }
}

TEST(LoadRun, ReadsAnswersThatAreNotStreamed) {
  KnownAnswerServer server({.policy = paced(5ms)});
  LoadSettings settings = settings_for(server);
  settings.stream.enabled = false;
  const RequestRecord record = loaded(settings, planned(1, 4)).records.at(0);
  EXPECT_EQ(record.status, RequestStatus::ok) << record.error;
  EXPECT_EQ(record.output_tokens, 4);
  EXPECT_EQ(record.text, " w w w w");
  EXPECT_EQ(metrics_of(record).ttft, std::nullopt);  // nobody saw the first token
  EXPECT_GE(*metrics_of(record).e2el, 20 * kMs);
}

TEST(LoadRun, CommentsAreNoEvents) {
  KnownAnswerServer server({.policy = [](const AskedRequest&) {
    AnswerPlan plan = paced_answer(3, 2ms);
    plan.comments = true;
    return plan;
  }});
  const RequestRecord record = loaded(settings_for(server), planned(1, 3)).records.at(0);
  EXPECT_EQ(record.status, RequestStatus::ok) << record.error;
  EXPECT_THAT(tokens_of(record), ElementsAre(1, 1, 1));
}

TEST(LoadRun, AConnectionServesRequestAfterRequestUnlessToldOtherwise) {
  KnownAnswerServer server({.policy = paced(0ns)});
  LoadSettings settings = settings_for(server);
  settings.closed = ClosedLoop{.concurrency = 2};
  const LoadResult kept = loaded(settings, planned(20, 2));
  EXPECT_EQ(n_with(kept, RequestStatus::ok), 20);
  EXPECT_EQ(kept.client.connections, 2);
  EXPECT_EQ(server.figures().connections, 2);
  settings.keepalive = false;
  const LoadResult fresh = loaded(settings, planned(20, 2));
  EXPECT_EQ(n_with(fresh, RequestStatus::ok), 20);
  EXPECT_EQ(fresh.client.connections, 20);
}

TEST(LoadRun, AClosedLoopKeepsItsConcurrency) {
  KnownAnswerServer server({.policy = paced(5ms)});
  LoadSettings settings = settings_for(server);
  settings.closed = ClosedLoop{.concurrency = 3};
  const LoadResult result = loaded(settings, planned(12, 2));
  EXPECT_EQ(n_with(result, RequestStatus::ok), 12);
  EXPECT_EQ(server.figures().most_in_flight, 3);
  // Four rounds of two events of 5 ms.
  EXPECT_GE(result.length_ns, 40'000'000);
}

TEST(LoadRun, AClosedLoopThinksBeforeEachRequest) {
  KnownAnswerServer server({.policy = paced(0ns)});
  LoadSettings settings = settings_for(server);
  settings.closed = ClosedLoop{.concurrency = 2};
  settings.warmup = 40ms;
  auto requests = planned(4, 1);
  for (PlannedRequest& one : requests) {
    one.intended.reset();
    one.think = 30ms;
  }
  const LoadResult result = loaded(settings, requests);
  EXPECT_EQ(n_with(result, RequestStatus::ok), 4);
  EXPECT_GE(*result.records[1].send_ns, 30'000'000);
  EXPECT_TRUE(result.records[0].warmup && result.records[1].warmup);  // due at 30 ms
  EXPECT_FALSE(result.records[2].warmup || result.records[3].warmup);
  EXPECT_GE(*result.records[2].send_ns, *result.records[0].end_ns + 30'000'000);
  EXPECT_GE(result.records[2].intended_ns, *result.records[0].end_ns + 30'000'000);  // the moment it could be sent
}

TEST(LoadRun, ATurnFollowsTheTurnBeforeIt) {
  KnownAnswerServer server({.policy = paced(10ms)});
  auto requests = planned(6, 1);
  for (int i = 0; i < 6; ++i) {
    PlannedRequest& one = requests[static_cast<std::size_t>(i)];
    one.session = i % 2;
    one.turn = i / 2;
    if (one.turn > 0) one.intended.reset();
    one.think = 5ms;
  }
  const LoadResult result = loaded(settings_for(server), requests);
  EXPECT_EQ(n_with(result, RequestStatus::ok), 6);
  for (std::size_t i = 2; i < 6; ++i)
    EXPECT_GE(*result.records[i].send_ns, result.records[i - 2].events.at(0).at_ns + 5'000'000) << i;
  EXPECT_EQ(server.figures().most_in_flight, 2);
}

TEST(LoadRun, ProgressEndsWhereTheResultDoes) {
  KnownAnswerServer server({.policy = [](const AskedRequest& asked) {
    if (asked.seed == 1) return AnswerPlan{.fault = AnswerFault::kStatus, .http_status = 429, .code = "queue_full"};
    return paced_answer(asked.max_tokens, 1ms);
  }});
  const auto run = prepared(settings_for(server), planned(3, 2));
  run->drive();
  const LoadProgress& progress = run->progress();
  EXPECT_EQ(progress.sent, 3);
  EXPECT_EQ(progress.in_flight, 0);
  EXPECT_EQ(progress.by_status[static_cast<std::size_t>(RequestStatus::ok)], 2);
  EXPECT_EQ(progress.by_status[static_cast<std::size_t>(RequestStatus::rejected_429)], 1);
  ASSERT_EQ(progress.ended().size(), 3U);
  for (const EndedRequest& one : progress.ended()) {
    if (one.status == RequestStatus::ok) EXPECT_GE(one.ttft_ns, 1'000'000);
    EXPECT_GE(one.e2el_ns, one.ttft_ns);
  }
}

// Coordinated omission: a server that stands still for 250 ms. Whoever sends at its times sees everything that was due
// meanwhile wait; who waits for each answer sees one slow answer and sends nothing.
TEST(LoadRun, AStallIsSeenInAnOpenLoopAndMissedInAClosedOne) {
  const std::vector<Stall> stall = {{.at = 100ms, .length = 250ms}};
  const auto n_delayed = [](const LoadResult& result) {
    return std::count_if(result.records.begin(), result.records.end(),
                         [](const RequestRecord& record) { return *metrics_of(record).ttft_intended > 100 * kMs; });
  };
  KnownAnswerServer open_server({.policy = paced(0ns), .stalls = stall});
  const LoadResult open = loaded(settings_for(open_server), planned(100, 1, 5ms));
  KnownAnswerServer closed_server({.policy = paced(5ms), .stalls = stall});
  LoadSettings settings = settings_for(closed_server);
  settings.closed = ClosedLoop{};
  const LoadResult closed = loaded(settings, planned(100, 1));
  EXPECT_EQ(n_with(open, RequestStatus::ok), 100);
  EXPECT_EQ(n_with(closed, RequestStatus::ok), 100);
  EXPECT_GE(n_delayed(open), 25);  // those due in the first 150 ms of it, 5 ms apart
  EXPECT_LE(n_delayed(closed), 5);
}

TEST(LoadRun, AStallInsideAnAnswerIsCounted) {
  KnownAnswerServer server({.policy = paced(10ms), .stalls = {{.at = 55ms, .length = 250ms}}});
  const RequestRecord record = loaded(settings_for(server), planned(1, 20)).records.at(0);
  const RequestMetrics metrics = metrics_of(record);
  EXPECT_EQ(metrics.stalls, 1);
  EXPECT_GE(metrics.stall_s, 0.25);
}

TEST(LoadRun, BadUrlsAreRefused) {
  for (const char* url : {"https://127.0.0.1", "127.0.0.1:80", "http://", "http://:80", "http://127.0.0.1:x"}) {
    LoadSettings settings{.url = url};
    EXPECT_TRUE(LoadRun::prepare(settings, planned(1, 1)).has_error()) << url;
  }
}

}  // namespace
}  // namespace mie::bench
