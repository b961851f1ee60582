// The simulated engine as a target: instants that a hand can compute, the same bits each time, and what clients do.
#include "bench/load/request_lines.h"
#include "bench/result/steps_json.h"
#include "tests/bench/engine/sim_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

std::vector<std::int64_t> instants(const RequestRecord& record) {
  std::vector<std::int64_t> at;
  for (const TokenEvent& event : record.events) at.push_back(event.at_ns - record.intended_ns);
  return at;
}

std::vector<RequestStatus> statuses(const RunResult& result) {
  std::vector<RequestStatus> all;
  for (const RequestRecord& record : result.records) all.push_back(record.status);
  return all;
}

WorkloadSpec arriving(const std::string& arrival, int n, int output) {
  return good(spec_text("requests = { count = " + std::to_string(n) + " }\narrival = " + arrival +
                            "\noutput = { length = { dist = \"fixed\", value = " + std::to_string(output) + " } }",
                        "length = { dist = \"fixed\", value = 4 }"));
}

TEST(SimTarget, AStepTakesWhatTheModelSays) {
  const RunResult result = simulated(arriving("{ law = \"burst\" }", 1, 3), costs(10e-3, 1e-3, 2e-3, 0.1e-3));
  ASSERT_EQ(result.records.size(), 1U);
  // Prefill: 10 ms, 4 tokens, context 1 + 2 + 3 + 4. Then one row each: 10 ms, 2 ms, context 5, then 6.
  EXPECT_THAT(instants(result.records[0]), ElementsAre(15 * kMs, 15 * kMs + 12'500'000, 27'500'000 + 12'600'000));
  EXPECT_EQ(result.validity.state, RunState::kOk);
}

TEST(SimTarget, WhatFallsDueWhileTheModelComputesIsSentAtItsInstant) {
  const RunResult result = simulated(arriving("{ law = \"constant\", rate = 100 }", 3, 1), costs(25e-3, 0, 0, 0));
  ASSERT_EQ(result.records.size(), 3U);
  for (const RequestRecord& record : result.records) EXPECT_EQ(record.send_ns, record.intended_ns);
  const std::int64_t begin = result.records[0].intended_ns;
  // The first alone for 25 ms; the two that came 10 and 20 ms after it in the step after that.
  EXPECT_EQ(result.records[0].end_ns, begin + 25 * kMs);
  EXPECT_EQ(result.records[1].end_ns, begin + 50 * kMs);
  EXPECT_EQ(result.records[2].end_ns, begin + 50 * kMs);
  EXPECT_EQ(result.repetitions[0].client.lateness_max, 0);
}

TEST(SimTarget, AClosedLoopKeepsItsNumberInFlight) {
  const RunResult result = simulated(arriving("{ law = \"closed\", concurrency = 2 }", 6, 2), costs(10e-3, 0, 0, 0));
  ASSERT_EQ(result.records.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(*result.records[i].end_ns - result.records[0].intended_ns, static_cast<std::int64_t>(i / 2 + 1) * 20 * kMs)
        << "two at a time, two steps each";
  EXPECT_EQ(result.repetitions[0].steps->counts.steps, 6);
}

TEST(SimTarget, IsTheSameToTheBitEachTime) {
  WorkloadSpec spec = arriving("{ law = \"poisson\", rate = 80 }", 300, 24);
  spec.repetitions.n = 2;
  spec.sampling.temperature = 0.8;
  spec.prefix.kind = PrefixKind::kShared;
  spec.prefix.len = 64;
  const RunResult one = simulated(spec), other = simulated(spec);
  EXPECT_EQ(one.records.size(), 600U);
  EXPECT_EQ(request_lines(one.records), request_lines(other.records));
  EXPECT_EQ(step_lines(one), step_lines(other));
  EXPECT_EQ(one.validity.state, RunState::kOk) << one.validity.reasons.front();
}

TEST(SimTarget, ClientsGoAwayAndAreSentAway) {
  WorkloadSpec spec = arriving("{ law = \"burst\" }", 4, 8);
  spec.clients.timeout_ms = 35;
  EXPECT_THAT(statuses(simulated(spec, costs(10e-3, 0, 0, 0))), Each(RequestStatus::client_timeout)) << "8 steps take 80 ms";

  spec.clients.timeout_ms = 1000;
  ArmSpec small{.name = "small", .server = {}};
  small.server["max_queue"].held = std::int64_t{3};
  spec.arms = {small};
  const RunResult full = simulated(spec);
  EXPECT_THAT(statuses(full),
              ElementsAre(RequestStatus::ok, RequestStatus::ok, RequestStatus::ok, RequestStatus::rejected_429));
  EXPECT_EQ(full.records[3].http_status, 429);

  spec.arms.clear();
  spec.arrival.max_in_flight = 1;
  const RunResult queued = simulated(spec, costs(10e-3, 0, 0, 0));
  EXPECT_EQ(queued.records[1].send_ns, queued.records[0].end_ns) << "held back by the client";
  EXPECT_EQ(queued.records[1].intended_ns, queued.records[0].intended_ns);
}

TEST(SimTarget, TimeWithoutWorkPassesAtOnce) {
  const RunResult result = simulated(arriving("{ law = \"constant\", rate = 0.001 }", 3, 1));
  ASSERT_EQ(result.records.size(), 3U);
  EXPECT_GE(result.records[2].intended_ns - result.records[1].intended_ns, 999'000 * kMs) << "a quarter of an hour";
  EXPECT_THAT(statuses(result), Each(RequestStatus::ok));
}

TEST(CostModel, IsReadFromItsFile) {
  const auto model = parse_cost_model(R"({"schema":"mie.cost_model/1","a":0.001,"b":1e-5,"c":0.0001,"d":0,"fit":{"r2":0.9}})");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_EQ(model->of({.n_prefill = 100, .n_decode = 3, .context = 5000}), std::chrono::microseconds(2300));
  EXPECT_THAT(model->json, HasSubstr(R"("fit":{"r2":0.9})"));
}

TEST(CostModel, RefusesWhatIsNone) {
  const auto refusal = [](const char* json) {
    const auto model = parse_cost_model(json);
    return model.has_error() ? model.error().message : "";
  };
  EXPECT_THAT(refusal("{"), ::testing::Not(::testing::IsEmpty()));
  EXPECT_THAT(refusal(R"({"a":1,"b":1,"c":1,"d":1})"), HasSubstr("mie.cost_model/1"));
  EXPECT_THAT(refusal(R"({"schema":"mie.cost_model/1","a":1,"b":1,"c":1})"), HasSubstr("d must be"));
  EXPECT_THAT(refusal(R"({"schema":"mie.cost_model/1","a":1,"b":-1,"c":1,"d":0})"), HasSubstr("b must be"));
  EXPECT_THAT(refusal(R"({"schema":"mie.cost_model/1","a":0,"b":0,"c":0,"d":0})"), HasSubstr("cost something"));
}

}  // namespace
}  // namespace mie::bench
