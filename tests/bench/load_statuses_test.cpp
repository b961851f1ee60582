// Every way in which a request can end, made by a server that was told to, and what the client calls it.
#include "bench/load/expected_answers.h"
#include "bench/load/load_run.h"
#include "bench/load/request_lines.h"
#include "tests/bench/loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mie::bench {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Optional;

RequestRecord answered_by(const AnswerPlan& plan, LoadSettings settings = {}) {
  KnownAnswerServer server({.policy = [&plan](const AskedRequest&) { return plan; }});
  settings.url = server.url();
  settings.timeout = settings.timeout.value_or(kPatience);
  return loaded(settings, planned(1, 3)).records.at(0);
}

AnswerPlan failing(AnswerFault fault, int n_events = 2, const char* code = "model_error") {
  AnswerPlan plan = paced_answer(n_events, 1ms);
  plan.fault = fault;
  plan.code = code;
  return plan;
}

AnswerPlan refused(int status, const char* code, int retry_after_s = 0) {
  return {.fault = AnswerFault::kStatus, .http_status = status, .code = code, .retry_after_s = retry_after_s};
}

TEST(LoadStatus, Ok) { EXPECT_EQ(answered_by(paced_answer(3, 1ms)).status, RequestStatus::ok); }

TEST(LoadStatus, TruncatedByLengthIsOkWhereNoLengthWasAskedFor) {
  LoadSettings settings;
  settings.exact = false;
  EXPECT_EQ(answered_by(paced_answer(3, 1ms), settings).status, RequestStatus::truncated_by_length);
  AnswerPlan stopped = paced_answer(2, 1ms);
  stopped.finish = "stop";
  EXPECT_EQ(answered_by(stopped, settings).status, RequestStatus::ok);
}

TEST(LoadStatus, Rejected) {
  const RequestRecord full = answered_by(refused(429, "queue_full", 7));
  EXPECT_EQ(full.status, RequestStatus::rejected_429);
  EXPECT_THAT(full.retry_after_s, Optional(7.0));
  EXPECT_EQ(full.http_status, 429);
  EXPECT_EQ(full.error, "as planned");
  const RequestRecord draining = answered_by(refused(503, "draining"));
  EXPECT_EQ(draining.status, RequestStatus::rejected_503);
  EXPECT_EQ(draining.retry_after_s, std::nullopt);
}

TEST(LoadStatus, OtherHttpStatuses) {
  EXPECT_EQ(answered_by(refused(400, "invalid_value")).status, RequestStatus::http_4xx);
  EXPECT_EQ(answered_by(refused(404, "model_not_found")).status, RequestStatus::http_4xx);
  EXPECT_EQ(answered_by(refused(500, "model_error")).status, RequestStatus::http_5xx);
  EXPECT_EQ(answered_by(refused(502, "bad_gateway")).status, RequestStatus::http_5xx);
}

TEST(LoadStatus, TheServersDeadlineBeforeAndAfterTheFirstToken) {
  EXPECT_EQ(answered_by(refused(504, "deadline_exceeded")).status, RequestStatus::deadline_server);
  EXPECT_EQ(answered_by(failing(AnswerFault::kErrorFrame, 2, "deadline_exceeded")).status, RequestStatus::deadline_server);
  EXPECT_EQ(answered_by(refused(504, "gateway_timeout")).status, RequestStatus::http_5xx);
}

TEST(LoadStatus, ConnectErrorWhereNobodyListens) {
  // A port that was ours a moment ago, bound and never listening.
  const int taken = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  LoadSettings settings{.url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port))};
  const LoadResult result = loaded(settings, planned(2, 1, 1ms));
  ::close(taken);
  EXPECT_EQ(n_with(result, RequestStatus::connect_error), 2);
  EXPECT_THAT(result.records[0].error, HasSubstr("refused"));
  EXPECT_EQ(result.records[0].send_ns, std::nullopt);
  EXPECT_EQ(result.client.connect_errors, 2);
}

TEST(LoadStatus, ResetBeforeAndInsideAnAnswer) {
  EXPECT_EQ(answered_by(failing(AnswerFault::kReset, 0)).status, RequestStatus::reset);
  EXPECT_EQ(answered_by(failing(AnswerFault::kReset, 2)).status, RequestStatus::reset);
  EXPECT_EQ(answered_by(failing(AnswerFault::kClose, 0)).status, RequestStatus::reset);
}

TEST(LoadStatus, ClientTimeoutWithAndWithoutAToken) {
  LoadSettings settings;
  settings.timeout = 60ms;
  const RequestRecord silent = answered_by(failing(AnswerFault::kSilence, 0), settings);
  EXPECT_EQ(silent.status, RequestStatus::client_timeout);
  EXPECT_EQ(silent.events.size(), 0U);
  EXPECT_GE(*silent.end_ns, 60'000'000);
  const RequestRecord halted = answered_by(failing(AnswerFault::kSilence, 2), settings);
  EXPECT_EQ(halted.status, RequestStatus::client_timeout);
  EXPECT_EQ(halted.events.size(), 2U);
}

TEST(LoadStatus, StreamErrorIsAnErrorFrame) {
  const RequestRecord record = answered_by(failing(AnswerFault::kErrorFrame));
  EXPECT_EQ(record.status, RequestStatus::stream_error);
  EXPECT_EQ(record.error, "as planned");
  EXPECT_EQ(record.events.size(), 2U);
}

TEST(LoadStatus, StreamTruncatedIsAnEndWithoutOne) {
  EXPECT_EQ(answered_by(failing(AnswerFault::kClose)).status, RequestStatus::stream_truncated);
  EXPECT_EQ(answered_by(failing(AnswerFault::kNoDone, 3)).status, RequestStatus::stream_truncated);
}

TEST(LoadStatus, BadJsonAndBadContent) {
  EXPECT_EQ(answered_by(failing(AnswerFault::kNotJson)).status, RequestStatus::bad_json);
  EXPECT_EQ(answered_by(failing(AnswerFault::kWrongTypes)).status, RequestStatus::bad_content);
  EXPECT_EQ(answered_by(failing(AnswerFault::kNoTokens, 0)).status, RequestStatus::bad_content);
  EXPECT_EQ(answered_by(failing(AnswerFault::kNotHttp, 0)).status, RequestStatus::bad_content);
}

TEST(LoadStatus, CountMismatch) {
  const RequestRecord off = answered_by(failing(AnswerFault::kUsageOff, 3));
  EXPECT_EQ(off.status, RequestStatus::count_mismatch);
  EXPECT_THAT(off.error, HasSubstr("usage says 4 tokens, the events 3"));
  const RequestRecord fewer = answered_by(paced_answer(2, 1ms));
  EXPECT_EQ(fewer.status, RequestStatus::count_mismatch);
  EXPECT_THAT(fewer.error, HasSubstr("asked for exactly 3 tokens, got 2"));
}

TEST(LoadStatus, WrongAnswerIsOneOfOtherTokens) {
  LoadSettings settings;
  settings.stream.token_ids = true;
  std::vector<RequestRecord> records = {answered_by(failing(AnswerFault::kOtherTokens, 3), settings)};
  const std::vector<TokenId> right = {TokenId(known_token(0, 0)), TokenId(known_token(0, 1)), TokenId(known_token(0, 2))};
  const ExpectedAnswers expected = {{0, token_hash_of(right)}};
  EXPECT_EQ(records[0].status, RequestStatus::ok);
  judge_answers(records, expected);
  EXPECT_EQ(records[0].status, RequestStatus::wrong_answer);
  records = {answered_by(paced_answer(3, 1ms), settings)};
  judge_answers(records, expected);
  EXPECT_EQ(records[0].status, RequestStatus::ok);
}

TEST(LoadStatus, AFailureSpoilsNoOtherRequestOnItsConnection) {
  KnownAnswerServer server({.policy = [](const AskedRequest& asked) {
    return asked.seed % 2 == 1 ? refused(429, "queue_full") : paced_answer(asked.max_tokens, 1ms);
  }});
  LoadSettings settings = settings_for(server);
  settings.closed = ClosedLoop{};
  const LoadResult result = loaded(settings, planned(10, 2));
  EXPECT_EQ(n_with(result, RequestStatus::ok), 5);
  EXPECT_EQ(n_with(result, RequestStatus::rejected_429), 5);
  EXPECT_EQ(result.client.connections, 1);
}

}  // namespace
}  // namespace mie::bench
