#include "bench/load/expected_answers.h"
#include "bench/load/request_lines.h"
#include "bench/selftest/known_loads.h"
#include "bench/selftest/points.h"

#include <fmt/format.h>

#include <array>

namespace mie::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kTokens = 3;

// What the server does to the request of that status; where it is the client's doing, an answer in peace.
AnswerPlan plan_for(RequestStatus status) {
  AnswerPlan plan = paced_answer(kTokens, 2ms);
  const auto with = [&plan](AnswerFault fault, std::string code = "") {
    plan.fault = fault;
    plan.code = std::move(code);
    return plan;
  };
  const auto refuse = [](int http_status, std::string code) {
    return AnswerPlan{.fault = AnswerFault::kStatus, .http_status = http_status, .code = std::move(code), .retry_after_s = 1};
  };
  switch (status) {
    case RequestStatus::rejected_429:
      return refuse(429, "queue_full");
    case RequestStatus::rejected_503:
      return refuse(503, "draining");
    case RequestStatus::http_4xx:
      return refuse(400, "invalid_value");
    case RequestStatus::http_5xx:
      return refuse(500, "model_error");
    case RequestStatus::reset:
      return with(AnswerFault::kReset);
    case RequestStatus::client_timeout:
      return with(AnswerFault::kSilence);
    case RequestStatus::deadline_server:
      return with(AnswerFault::kErrorFrame, "deadline_exceeded");
    case RequestStatus::stream_error:
      return with(AnswerFault::kErrorFrame, "model_error");
    case RequestStatus::stream_truncated:
      return with(AnswerFault::kClose);
    case RequestStatus::bad_json:
      return with(AnswerFault::kNotJson);
    case RequestStatus::bad_content:
      return with(AnswerFault::kWrongTypes);
    case RequestStatus::count_mismatch:
      return with(AnswerFault::kUsageOff);
    case RequestStatus::wrong_answer:
      return with(AnswerFault::kOtherTokens);
    default:
      return plan;
  }
}

RequestStatus made(RequestStatus status) {
  KnownAnswerServer server({.policy = [status](const AskedRequest&) { return plan_for(status); }});
  LoadSettings settings = known_settings(server);
  settings.stream.token_ids = true;
  auto requests = known_requests(1, kTokens, 0ns);
  if (status == RequestStatus::connect_error) settings.url = "http://127.0.0.1:1";  // nobody listens on the port of tcpmux
  if (status == RequestStatus::client_timeout) settings.timeout = 100ms;
  if (status == RequestStatus::truncated_by_length) settings.exact = false;
  if (status == RequestStatus::cancelled_by_client) requests[0].cancel.after_tokens = 1;
  if (status == RequestStatus::not_sent) settings.send_for = 0ns;
  LoadResult result = run_known(settings, requests);
  if (result.records.empty()) return RequestStatus::connect_error;
  std::vector<TokenId> right;
  right.reserve(kTokens);
  for (int k = 0; k < kTokens; ++k) right.emplace_back(known_token(0, k));
  if (settings.exact) judge_answers(result.records, {{0, token_hash_of(right)}});
  return result.records[0].status;
}

}  // namespace

SelfTestPoints check_statuses() {
  SelfTestPoints out;
  for (const RequestStatus status : kStatuses) {
    const RequestStatus found = made(status);
    out.push_back({4, fmt::format("a request made to end as {}", name_of(status)), std::string(name_of(found)),
                   std::string(name_of(status)), found == status});
  }
  return out;
}

}  // namespace mie::bench
