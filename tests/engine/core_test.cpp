// What a step does to tokens, ends and counters.
#include "tests/engine/core_harness.h"
#include "tests/fakes/conservation_laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;

TEST(EngineCore, AnswersWhatTheModelSays) {
  CoreHarness harness;
  const Request request = make_request(1, 10, 5);
  const RequestId id = harness.submit(request);
  harness.run();
  EXPECT_EQ(harness.answer(id).tokens, expected(harness.setup.model, request));
  EXPECT_EQ(harness.answer(id).finish->reason, FinishReason::kLength);
  EXPECT_FALSE(harness.answer(id).finish->error);
  harness.release(id, Outcome::kComplete, 5);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

// Prompt of 10 in chunks of 8 and 2, then 4 decodes: the first token comes with the second chunk.
TEST(EngineCore, CountsOneRequestExactly) {
  CoreHarness harness;
  const RequestId id = harness.submit(make_request(1, 10, 5));
  harness.run();
  const MetricsText before = harness.metrics();
  EXPECT_EQ(before.value("mie_tokens_pending"), 5);
  EXPECT_EQ(before.value("vllm:request_success_total", {{"finished_reason", "length"}}), 1);
  harness.release(id, Outcome::kComplete, 5);
  const MetricsText metrics = harness.metrics();
  EXPECT_EQ(metrics.value("mie_choices_accepted_total"), 1);
  EXPECT_EQ(metrics.value("mie_steps_total"), 6);
  EXPECT_EQ(metrics.value("mie_tokens_computed_total", {{"kind", "prefill"}}), 10);
  EXPECT_EQ(metrics.value("mie_tokens_computed_total", {{"kind", "decode"}}), 4);
  EXPECT_EQ(metrics.value("mie_tokens_computed_total", {{"kind", "recompute"}}), 0);
  EXPECT_EQ(metrics.value("vllm:prompt_tokens_total", {{"model_name", "mie"}, {"engine", "0"}}), 10);
  EXPECT_EQ(metrics.value("vllm:generation_tokens_total"), 5);
  EXPECT_EQ(metrics.value("vllm:time_to_first_token_seconds_count"), 1);
  EXPECT_EQ(metrics.value("vllm:inter_token_latency_seconds_count"), 4);
  EXPECT_EQ(metrics.value("vllm:request_time_per_output_token_seconds_count"), 1);
  EXPECT_EQ(metrics.value("mie_length_stops_total", {{"cause", "max_tokens"}}), 1);
  EXPECT_EQ(metrics.value("mie_tokens_delivered_total"), 5);
  EXPECT_EQ(metrics.value("mie_kv_blocks", {{"state", "used"}}), 0);
  EXPECT_EQ(metrics.value("mie_kv_blocks", {{"state", "cached"}}), 3) << "14 tokens were computed";
  EXPECT_EQ(metrics.value("vllm:cache_config_info", {{"block_size", "4"}, {"num_gpu_blocks", "64"}}), 1);
}

// 9 tokens in blocks of 4: 3 blocks of 64 are used, 12 slots reserved, 3 of them empty.
TEST(EngineCore, ShowsTheLiveUseOfTheCache) {
  CoreHarness harness;
  const RequestId id = harness.submit(make_request(1, 8, 20));
  harness.core.step();
  harness.core.step();
  const MetricsText metrics = harness.metrics();
  EXPECT_EQ(metrics.value("mie_kv_blocks", {{"state", "used"}}), 3);
  EXPECT_DOUBLE_EQ(metrics.value("vllm:kv_cache_usage_perc"), 3.0 / 64);
  EXPECT_DOUBLE_EQ(metrics.value("mie_kv_waste_ratio"), 0.25);
  EXPECT_EQ(metrics.value("vllm:num_requests_running"), 1);
  harness.release(id, Outcome::kClientGone);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(EngineCore, TimesAreThoseOfTheClock) {
  CoreHarness harness;
  const auto began = harness.clock.now();
  const auto tick = std::chrono::milliseconds(10);
  harness.runner.set_before_step([&](int, const StepBatch&) { harness.clock.advance(tick); });
  const RequestId id = harness.submit(make_request(1, 10, 3));
  harness.clock.advance(tick);
  harness.run();
  const RequestTimes& times = harness.answer(id).finish->times;
  EXPECT_EQ(times.arrival, began);
  EXPECT_EQ(times.enqueued, began);
  EXPECT_EQ(*times.admitted, began + tick);
  EXPECT_EQ(*times.prefill_end, began + 3 * tick);
  EXPECT_EQ(*times.first_token, began + 3 * tick);
  EXPECT_EQ(*times.last_token, began + 5 * tick);
  EXPECT_EQ(*times.finished, began + 5 * tick);
  EXPECT_EQ(times.n_steps, 4);
  EXPECT_EQ(times.max_batch, 1);
  const MetricsText metrics = harness.metrics();
  EXPECT_NEAR(metrics.value("vllm:time_to_first_token_seconds_sum"), 0.030, 1e-9);
  EXPECT_NEAR(metrics.value("vllm:inter_token_latency_seconds_sum"), 0.020, 1e-9);
  EXPECT_NEAR(metrics.value("vllm:request_queue_time_seconds_sum"), 0.010, 1e-9);
  EXPECT_NEAR(metrics.value("vllm:request_prefill_time_seconds_sum"), 0.020, 1e-9);
  EXPECT_NEAR(metrics.value("vllm:request_decode_time_seconds_sum"), 0.020, 1e-9);
  EXPECT_NEAR(metrics.value("mie_step_seconds_sum", {{"phase", "run"}}), 0.040, 1e-9);
}

TEST(EngineCore, AStopIdEndsWithStopAlsoOnTheLastAllowedToken) {
  for (const int max_tokens : {3, 10}) {
    CoreHarness harness;
    Request request = make_request(5, 6, max_tokens);
    request.stop_ids = {FakeRunner::expected_tokens(harness.setup.model, request.prompt, 3).back()};
    const RequestId id = harness.submit(request);
    harness.run();
    const Answer& answer = harness.answer(id);
    EXPECT_EQ(answer.tokens.size(), 3U);
    EXPECT_EQ(answer.tokens.back(), request.stop_ids.front());
    EXPECT_EQ(answer.finish->reason, FinishReason::kStop);
    EXPECT_EQ(answer.finish->stop_id, request.stop_ids.front());
    EXPECT_EQ(harness.metrics().value("vllm:request_success_total", {{"finished_reason", "stop"}}), 1);
    EXPECT_EQ(harness.metrics().sum("mie_length_stops_total"), 0);
  }
}

TEST(EngineCore, StopIdsAreBannedUntilMinTokens) {
  CoreSetup setup;
  setup.model.eos = TokenId(7);
  setup.model.eos_per_mille = 1000;
  CoreHarness harness(setup);
  Request request = make_request(3, 5, 20);
  request.stop_ids = {TokenId(7)};
  request.min_tokens = 6;
  const RequestId id = harness.submit(request);
  harness.run();
  const Answer& answer = harness.answer(id);
  ASSERT_EQ(answer.tokens.size(), 7U);
  EXPECT_EQ(std::count(answer.tokens.begin(), answer.tokens.end(), TokenId(7)), 1);
  EXPECT_EQ(answer.tokens, expected(setup.model, request));
  EXPECT_EQ(answer.finish->stop_id, TokenId(7));
}

TEST(EngineCore, AFullContextIsALengthStopWithItsOwnCause) {
  CoreHarness harness;
  const RequestId id = harness.submit(make_request(1, 190, 10));
  harness.run();
  EXPECT_EQ(harness.answer(id).finish->reason, FinishReason::kLength);
  EXPECT_EQ(harness.metrics().value("mie_length_stops_total", {{"cause", "context"}}), 1);
}

TEST(EngineCore, ARequestThatCanNeverFitThePoolIsRejectedAndOthersGoOn) {
  CoreSetup setup;
  setup.n_blocks = 4;  // 16 tokens
  CoreHarness harness(setup);
  const RequestId too_long = harness.submit(make_request(1, 20, 5));
  const Request fits = make_request(2, 8, 5);
  const RequestId other = harness.submit(fits);
  harness.run();
  EXPECT_EQ(harness.answer(too_long).finish->error->code, Errc::kContextLengthExceeded);
  EXPECT_EQ(harness.answer(too_long).finish->error->message,
            "maximum context length is 16 tokens; requested 25 (20 in the prompt, 5 for the completion)");
  EXPECT_EQ(harness.answer(other).tokens, expected(setup.model, fits));
  harness.release(too_long, Outcome::kError);
  harness.release(other, Outcome::kComplete, 5);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

// A millisecond a row as measured, half of it at least: 8 rows are sure to be late after 3 ms and may be in time after 4.
TEST(EngineCore, NobodyWaitsForADeadlineThatCannotBeMetWhileOthersRun) {
  using std::chrono_literals::operator""ms;
  CoreHarness harness({.row_time = 1ms});
  const RequestId other = harness.submit(make_request(1, 6, 4));
  harness.core.step();
  Request request = make_request(2, 8, 5);
  request.deadline = harness.clock.now() + 3ms;
  const RequestId late = harness.submit(request);
  request = make_request(3, 8, 5);
  request.deadline = harness.clock.now() + 4ms;
  const RequestId timely = harness.submit(request);
  harness.core.step();
  ASSERT_TRUE(harness.answer(late).finish);
  EXPECT_EQ(harness.answer(late).finish->reason, FinishReason::kDeadline);
  EXPECT_EQ(harness.answer(late).finish->error->code, Errc::kDeadlineExceeded);
  EXPECT_EQ(harness.state_of(timely), SeqState::kRunning);
  harness.run();
  EXPECT_EQ(harness.answer(timely).tokens, expected(harness.setup.model, request));
  EXPECT_EQ(harness.metrics().value("mie_tokens_computed_total", {{"kind", "prefill"}}), 6 + 8) << "nothing of the late one";
  harness.release(late, Outcome::kDeadline);
  harness.release(other, Outcome::kComplete, 4);
  harness.release(timely, Outcome::kComplete, 5);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(EngineCore, WhileNothingRunsADeadlineIsTried) {
  CoreHarness harness({.row_time = std::chrono::milliseconds(1)});
  Request request = make_request(1, 8, 5);
  request.deadline = harness.clock.now() + std::chrono::milliseconds(1);
  const RequestId id = harness.submit(request);
  harness.run();
  EXPECT_EQ(harness.answer(id).tokens, expected(harness.setup.model, request));
}

TEST(EngineCore, AStopStringCountsAsStopAndTheRestAsOvershoot) {
  CoreHarness harness;
  const RequestId id = harness.submit(make_request(1, 4, 50));
  for (int i = 0; i < 6; ++i) harness.core.step();
  ASSERT_EQ(harness.answer(id).tokens.size(), 6U);
  harness.release(id, Outcome::kComplete, 4);
  const MetricsText metrics = harness.metrics();
  EXPECT_EQ(metrics.value("vllm:request_success_total", {{"finished_reason", "stop"}}), 1);
  EXPECT_EQ(metrics.value("mie_tokens_delivered_total"), 4);
  EXPECT_EQ(metrics.value("mie_tokens_discarded_total", {{"reason", "overshoot"}}), 2);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(EngineCore, EveryOutcomeSettlesUnderItsOwnReason) {
  const std::pair<Outcome, const char*> outcomes[] = {
      {Outcome::kError, "error"},       {Outcome::kClientGone, "client_gone"}, {Outcome::kAborted, "aborted"},
      {Outcome::kDeadline, "deadline"}, {Outcome::kSlowReader, "slow_reader"}, {Outcome::kShutdown, "shutdown"}};
  for (const auto& [outcome, reason] : outcomes) {
    CoreHarness harness;
    const RequestId id = harness.submit(make_request(1, 4, 50));
    for (int i = 0; i < 3; ++i) harness.core.step();
    harness.release(id, outcome, 99);
    EXPECT_EQ(harness.metrics().value("mie_tokens_discarded_total", {{"reason", reason}}), 3) << reason;
    EXPECT_EQ(harness.metrics().sum("mie_tokens_discarded_total"), 3) << reason;
    EXPECT_EQ(harness.metrics().value("vllm:request_success_total", {{"finished_reason", "abort"}}), 1) << reason;
    EXPECT_EQ(harness.answer(id).finish->error->code, Errc::kRequestAborted) << reason;
    EXPECT_THAT(not_settled(harness), IsEmpty()) << reason;
  }
}

}  // namespace
}  // namespace mie::test
