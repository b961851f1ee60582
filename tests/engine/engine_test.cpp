// The engine as other threads see it: queue limits, releases, health, laws under load.
#include "core/engine/engine.h"
#include "core/base/ensure.h"
#include "tests/engine/running_engine.h"
#include "tests/fakes/conservation_laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;
using ::testing::Lt;
using namespace std::chrono_literals;

std::vector<Request> n_requests(int n, int n_prompt) {
  std::vector<Request> requests;
  for (int i = 0; i < n; ++i) requests.push_back(make_request(i, n_prompt, 3));
  return requests;
}

std::optional<Errc> refusal_of(RunningEngine& running, std::vector<Request> requests) {
  const auto streams = running.engine.submit(std::move(requests), running.io.get_executor());
  if (streams) return {};
  return streams.error().code;
}

TEST(Engine, AnswersManyAtOnceRight) {
  RunningEngine running;
  running.engine.start();
  std::vector<std::pair<Request, std::future<Reply>>> replies;
  for (int i = 0; i < 40; ++i) {
    const Request request = make_request(i, 1 + i, 1 + (i * 7) % 30);
    replies.emplace_back(request, running.ask(request));
  }
  for (auto& [request, future] : replies) {
    const Reply reply = future.get();
    EXPECT_EQ(reply.tokens, expected(running.setup.model, request));
    EXPECT_EQ(reply.finish.reason, FinishReason::kLength);
  }
  ASSERT_TRUE(running.settle());
  EXPECT_THAT(broken_laws(running.metrics(), LawsOf::kIdle), IsEmpty());
}

// The engine is not started, so that what is submitted keeps waiting.
TEST(Engine, RefusesByCountAllOrNothing) {
  RunningEngine running({.max_queue = 10});
  EXPECT_EQ(refusal_of(running, n_requests(8, 4)), std::nullopt);
  EXPECT_EQ(refusal_of(running, n_requests(3, 4)), Errc::kQueueFull);
  EXPECT_EQ(running.engine.health().n_waiting, 8);
  EXPECT_EQ(running.engine.health().waiting_tokens, 32);
  EXPECT_EQ(refusal_of(running, n_requests(2, 4)), std::nullopt);
  EXPECT_EQ(refusal_of(running, n_requests(1, 4)), Errc::kQueueFull);
  EXPECT_EQ(running.metrics().value("mie_choices_accepted_total"), 10);
  EXPECT_EQ(running.metrics().value("vllm:num_requests_waiting"), 10);
}

TEST(Engine, RefusesByTokens) {
  RunningEngine running({.max_queue_tokens = 100});
  EXPECT_EQ(refusal_of(running, n_requests(2, 40)), std::nullopt);
  EXPECT_EQ(refusal_of(running, n_requests(1, 21)), Errc::kQueueFull);
  EXPECT_EQ(refusal_of(running, n_requests(1, 20)), std::nullopt);
  EXPECT_EQ(running.metrics().value("mie_waiting_tokens"), 100);
}

TEST(Engine, OneBadRequestRefusesAllOfItsVector) {
  RunningEngine running;
  auto requests = n_requests(3, 4);
  requests[1] = make_request(1, 150, 51);  // of 200
  EXPECT_EQ(refusal_of(running, requests), Errc::kContextLengthExceeded);
  requests[1] = make_request(1, 4, 4);
  requests[1].deadline = RunningEngine::system_clock().now() - 1ms;
  EXPECT_EQ(refusal_of(running, requests), Errc::kDeadlineExceeded);
  EXPECT_EQ(running.metrics().value("mie_choices_accepted_total"), 0);
  EXPECT_EQ(running.engine.health().n_waiting, 0);
  requests[1] = make_request(1, 0, 4);
  EXPECT_THROW(refusal_of(running, requests), InvariantError);
}

TEST(Engine, ARequestThatNoPoolCouldHoldIsRefusedAtTheDoor) {
  RunningEngine running({.n_blocks = 8});  // 32 tokens
  EXPECT_EQ(refusal_of(running, {make_request(1, 20, 13)}), Errc::kContextLengthExceeded);
  EXPECT_EQ(refusal_of(running, {make_request(1, 20, 12)}), std::nullopt);
}

// The reader is held up while ten tokens come; it then finds them in one batch.
TEST(Engine, ASlowReaderGetsBiggerBatches) {
  RunningEngine running;
  Gate gate;
  running.runner.set_before_step([&](int, const StepBatch&) { gate.pass(); });
  running.engine.start();
  const auto stream = running.submit(make_request(1, 4, 20));
  gate.allow(10);
  ASSERT_TRUE(gate.wait_for_arrival(11));
  auto reply = running.read(stream);
  gate.open();
  const Reply got = reply.get();
  EXPECT_EQ(got.tokens.size(), 20U);
  EXPECT_THAT(got.n_batches, Lt(12));
}

TEST(Engine, AHundredHangUpsLeaveNothingBehind) {
  RunningEngine running({.n_blocks = 200});
  running.engine.start();
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 10; ++i) streams.push_back(running.submit(make_request(i, 10 + i, 150)));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    for (const auto& stream : streams) running.engine.release(stream->id(), Outcome::kClientGone, 0);
  }
  ASSERT_TRUE(running.settle());
  const MetricsText metrics = running.metrics();
  EXPECT_THAT(broken_laws(metrics, LawsOf::kIdle), IsEmpty());
  EXPECT_EQ(metrics.value("mie_choices_accepted_total"), 100);
  EXPECT_EQ(metrics.value("mie_kv_blocks", {{"state", "used"}}), 0);
  EXPECT_EQ(running.engine.health().n_running + running.engine.health().n_waiting, 0);
}

// After release() returns, the request takes at most the step that is running.
TEST(Engine, AReleasedRequestTakesNoFurtherStep) {
  RunningEngine running;
  Gate gate;
  std::vector<int> batch_sizes;
  running.runner.set_before_step([&](int, const StepBatch& batch) {
    batch_sizes.push_back(batch.n_seqs());
    gate.pass();
  });
  running.engine.start();
  const auto stays = running.submit(make_request(1, 4, 30));
  const auto goes = running.submit(make_request(2, 4, 30));
  auto reply = running.read(stays);
  gate.allow(3);
  ASSERT_TRUE(gate.wait_for_arrival(4));  // the fourth step is running
  running.engine.release(goes->id(), Outcome::kClientGone, 0);
  gate.open();
  EXPECT_EQ(reply.get().tokens.size(), 30U);
  running.engine.stop();
  ASSERT_GT(batch_sizes.size(), 5U);
  for (std::size_t step = 4; step < batch_sizes.size(); ++step) EXPECT_EQ(batch_sizes[step], 1) << step;
}

TEST(Engine, ReleaseIsIdempotentAndIgnoresStrangers) {
  RunningEngine running;
  running.engine.start();
  const auto stream = running.submit(make_request(1, 4, 3));
  const Reply reply = running.read(stream).get();
  for (int i = 0; i < 3; ++i) running.engine.release(stream->id(), Outcome::kClientGone, 0);
  running.engine.release(RequestId(12345), Outcome::kAborted, 0);
  ASSERT_TRUE(running.settle());
  EXPECT_EQ(running.metrics().value("mie_tokens_delivered_total"), static_cast<double>(reply.tokens.size()));
  EXPECT_EQ(running.metrics().sum("mie_tokens_discarded_total"), 0);
}

TEST(Engine, AnAbortFromElsewhereEndsTheReader) {
  RunningEngine running;
  running.engine.start();
  const auto stream = running.submit(make_request(1, 4, 190));
  auto reply = running.read(stream);
  running.engine.release(stream->id(), Outcome::kAborted, 0);
  const Finish finish = reply.get().finish;
  EXPECT_TRUE(finish.reason == FinishReason::kCancelled || finish.reason == FinishReason::kLength);
}

TEST(Engine, IsStuckWhileAStepTakesTooLongAndRecovers) {
  ManualClock clock;
  RunningEngine running({.step_limit = 1s}, clock);
  Gate gate;
  running.runner.set_before_step([&](int, const StepBatch&) { gate.pass(); });
  running.engine.start();
  clock.advance(1h);  // idle: not stuck
  EXPECT_EQ(running.engine.health().state, EngineHealth::State::kOk);
  auto reply = running.ask(make_request(1, 4, 5));
  ASSERT_TRUE(gate.wait_for_arrival(1));
  clock.advance(2s);
  EXPECT_EQ(running.engine.health().state, EngineHealth::State::kOk);
  clock.advance(1ms);
  EXPECT_EQ(running.engine.health().state, EngineHealth::State::kStuck);
  EXPECT_EQ(refusal_of(running, n_requests(1, 3)), Errc::kUnhealthy);
  running.engine.refresh_metrics();
  EXPECT_NEAR(running.metrics().value("mie_last_step_age_seconds"), 2.001, 1e-9);
  gate.open();
  EXPECT_EQ(reply.get().tokens.size(), 5U);
  EXPECT_EQ(running.engine.health().state, EngineHealth::State::kOk);
}

TEST(Engine, ALostDeviceEndsEverythingAndTellsOnce) {
  std::promise<std::string> told;
  RunningEngine running({.limits = {.max_seqs = 2, .max_tokens = 32, .max_prefill_chunk = 8},
                         .on_fatal = [&](const std::string& reason) { told.set_value(reason); }});
  running.runner.set_faults({{5, FakeFault::Kind::kDevice}});
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 4; ++i) replies.push_back(running.ask(make_request(i, 4, 50)));
  running.engine.start();
  for (auto& reply : replies) {
    const Finish finish = reply.get().finish;
    EXPECT_EQ(finish.reason, FinishReason::kError);
    EXPECT_EQ(finish.error->code, Errc::kUnhealthy);
  }
  EXPECT_EQ(told.get_future().get(), "device failed: scripted loss at step 5");
  EXPECT_EQ(running.engine.health().state, EngineHealth::State::kFailed);
  EXPECT_EQ(refusal_of(running, n_requests(1, 3)), Errc::kUnhealthy);
  ASSERT_TRUE(running.settle());
  EXPECT_THAT(broken_laws(running.metrics(), LawsOf::kIdle), IsEmpty());
  EXPECT_EQ(running.metrics().value("vllm:request_success_total", {{"finished_reason", "error"}}), 4);
}

// A scheduler that promises blocks it does not have.
class LyingScheduler final : public Scheduler {
 public:
  [[nodiscard]] StepPlan plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits, StepPlan) const override {
    const SeqView& first = seqs.front();
    return {.evict = {}, .reject = {}, .run = {{first.id, 0, first.n_total, budget.n_blocks + 1, true}}};
  }
};

TEST(Engine, ABrokenInvariantIsFatal) {
  std::promise<std::string> told;
  RunningEngine parts;
  MetricsRegistry registry;
  EngineOptions options = parts.engine.options();
  options.paranoid = false;
  options.on_fatal = [&](const std::string& reason) { told.set_value(reason); };
  const LyingScheduler scheduler;
  Engine engine(options, scheduler, parts.runner, RunningEngine::system_clock(), registry);
  engine.start();
  ASSERT_TRUE(engine.submit({make_request(1, 4, 4)}, parts.io.get_executor()));
  EXPECT_THAT(told.get_future().get(), ::testing::HasSubstr("invariant broken"));
  EXPECT_EQ(engine.health().state, EngineHealth::State::kFailed);
}

// A scheduler that never plans anything: counted, not spun on.
class LazyScheduler final : public Scheduler {
 public:
  [[nodiscard]] StepPlan plan(std::span<const SeqView>, KvBudget, StepLimits, StepPlan) const override { return {}; }
};

TEST(Engine, WorkWithoutAPlanIsCountedAndBecomesStuck) {
  RunningEngine parts;
  MetricsRegistry registry;
  EngineOptions options = parts.engine.options();
  options.paranoid = false;
  options.step_limit = 50ms;
  const LazyScheduler scheduler;
  Engine engine(options, scheduler, parts.runner, RunningEngine::system_clock(), registry);
  engine.start();
  const auto streams = engine.submit({make_request(1, 4, 4)}, parts.io.get_executor());
  ASSERT_TRUE(streams);
  const auto began = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(engine.health().state, EngineHealth::State::kStuck);
  const double n = MetricsText(registry.scrape()).value("mie_steps_without_progress_total");
  EXPECT_GE(n, 2);
  EXPECT_LE(n, (std::chrono::steady_clock::now() - began) / 10ms + 10);  // a pause of 10 ms after each
  engine.release(streams->front()->id(), Outcome::kClientGone, 0);
}

// Four threads submit, read, and let go at random moments while a fifth holds every scrape against the laws.
TEST(Engine, LawsHoldInEveryScrapeUnderLoad) {
  RunningEngine running({.n_blocks = 60});
  running.engine.start();
  std::atomic<int> n_usage{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> clients;
  for (unsigned client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      std::mt19937 random(client);
      for (int i = 0; i < 60; ++i) {
        const Request request = make_request(i, 1 + static_cast<int>(random() % 40), 1 + static_cast<int>(random() % 40));
        const auto stream = running.submit(request);
        if (random() % 3 == 0) {
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
          running.engine.release(stream->id(), Outcome::kClientGone, 0);
        } else {
          const Reply reply = running.read(stream).get();
          EXPECT_EQ(reply.tokens, expected(running.setup.model, request));
          n_usage += static_cast<int>(reply.tokens.size());
        }
      }
    });
  }
  std::thread scraper([&] {
    while (!done) {
      ASSERT_THAT(broken_laws(running.metrics(), LawsOf::kAnyTime), IsEmpty());
      static_cast<void>(running.engine.health());
    }
  });
  for (auto& client : clients) client.join();
  done = true;
  scraper.join();
  ASSERT_TRUE(running.settle());
  const MetricsText metrics = running.metrics();
  EXPECT_THAT(broken_laws(metrics, LawsOf::kIdle), IsEmpty());
  EXPECT_EQ(metrics.value("mie_tokens_delivered_total"), n_usage);
  EXPECT_EQ(metrics.value("mie_choices_accepted_total"), 240);
}

}  // namespace
}  // namespace mie::test
