// A step that throws: what it did is undone, its sequences end, the others go on.
#include "tests/engine/core_harness.h"
#include "tests/engine/running_engine.h"
#include "tests/fakes/conservation_laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;

// Two run, two wait: enough for a step that fails to have bystanders.
const CoreSetup kTwoSlots{.limits = {.max_seqs = 2, .max_tokens = 8, .max_prefill_chunk = 8}};

std::map<RequestId, Request> submit_four(CoreHarness& harness) {
  std::map<RequestId, Request> requests;
  for (int i = 0; i < 4; ++i) {
    Request request = make_request(i, 9 + i, 5 + i);
    const RequestId id = harness.submit(request);
    requests.emplace(id, std::move(request));
  }
  return requests;
}

int count_steps() {
  CoreHarness harness(kTwoSlots);
  submit_four(harness);
  harness.run();
  return static_cast<int>(harness.metrics().value("mie_steps_total"));
}

template <class Exception>
void expect_each_step_survives(FakeFault::Kind kind) {
  const int n_steps = count_steps();
  ASSERT_GT(n_steps, 10);
  for (int n = 0; n < n_steps; ++n) {
    CoreHarness harness(kTwoSlots);
    harness.runner.set_faults({{n, kind}});
    const auto requests = submit_four(harness);
    for (int i = 0; i < n; ++i) harness.core.step();
    const EngineSnapshot before = harness.core.snapshot();
    EXPECT_THROW(harness.core.step(), Exception) << "step " << n;
    EXPECT_FALSE(harness.core.torn()) << "step " << n;
    EXPECT_EQ(harness.core.snapshot(), before) << "step " << n;
    EXPECT_THAT(broken_laws(harness.metrics(), LawsOf::kAnyTime), IsEmpty()) << "step " << n;

    EXPECT_EQ(harness.core.end_failed_step(), EngineCore::Progress::kSome);
    harness.run();
    int n_failed = 0;
    for (const auto& [id, request] : requests) {
      const Answer& answer = harness.answer(id);
      const auto right = expected(harness.setup.model, request);
      if (answer.finish->reason == FinishReason::kError) {
        ++n_failed;
        EXPECT_EQ(answer.finish->error->code, Errc::kModelError);
        EXPECT_EQ(answer.finish->error->message, "the model step failed");
        EXPECT_TRUE(is_prefix(answer.tokens, right)) << "step " << n;
        harness.release(id, Outcome::kError);
      } else {
        EXPECT_EQ(answer.tokens, right) << "step " << n << " request " << id;
        harness.release(id, Outcome::kComplete, static_cast<int>(right.size()));
      }
    }
    EXPECT_GE(n_failed, 1) << "step " << n;
    EXPECT_LE(n_failed, 2) << "step " << n;
    EXPECT_EQ(harness.metrics().value("vllm:request_success_total", {{"finished_reason", "error"}}), n_failed);
    EXPECT_THAT(not_settled(harness), IsEmpty()) << "step " << n;
  }
}

TEST(FailedStep, ByTheModelHarmsOnlyItsOwnAtEveryStep) {
  expect_each_step_survives<ModelStepError>(FakeFault::Kind::kModelStep);
}

TEST(FailedStep, AfterTheCacheWasWrittenHarmsOnlyItsOwnAtEveryStep) {
  expect_each_step_survives<ModelStepError>(FakeFault::Kind::kNonFinite);
}

TEST(FailedStep, ByWantOfMemoryInTheModelHarmsOnlyItsOwnAtEveryStep) {
  expect_each_step_survives<std::bad_alloc>(FakeFault::Kind::kBadAlloc);
}

// The release is in the mailbox when the engine looks at what the failed step leaves behind.
TEST(FailedStep, WithAHangUpDuringItIsNoBrokenInvariant) {
  RunningEngine running;
  running.runner.set_faults({{3, FakeFault::Kind::kModelStep}});
  const auto leaving = running.submit(make_request(1, 4, 50));
  running.runner.set_before_step([&](int step, const StepBatch&) {
    if (step == 3) running.engine.release(leaving->id(), Outcome::kClientGone, 0);
  });
  auto failing = running.ask(make_request(2, 4, 50));
  running.engine.start();
  EXPECT_EQ(failing.get().finish.error->code, Errc::kModelError);
  EXPECT_EQ(running.ask(make_request(3, 4, 5)).get().tokens.size(), 5U);
  EXPECT_EQ(running.engine.health().state, EngineHealth::State::kOk);
  ASSERT_TRUE(running.settle());
  EXPECT_THAT(broken_laws(running.metrics(), LawsOf::kIdle), IsEmpty());
}

}  // namespace
}  // namespace mie::test
