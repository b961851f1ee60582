// Want of memory at every single allocation. A program of its own, because it replaces operator new.
#include "core/base/log.h"
#include "core/engine/engine_loop.h"
#include "core/engine/mailbox.h"
#include "tests/engine/core_harness.h"
#include "tests/engine/running_engine.h"
#include "tests/fakes/failing_new.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

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

// What one step with `n_allowed` allocations did.
enum class FailedStep { kUnharmed, kWhole, kTorn };

FailedStep step_with(int n_allowed, int n_steps_before) {
  CoreHarness harness(kTwoSlots);
  const auto requests = submit_four(harness);
  for (int i = 0; i < n_steps_before; ++i) harness.core.step();
  const EngineSnapshot before = harness.core.snapshot();
  bool ran = false;
  harness.runner.set_before_step([&](int, const StepBatch&) { ran = true; });
  try {
    const FailingNew failing(n_allowed);
    harness.core.step();
    return FailedStep::kUnharmed;
  } catch (const std::bad_alloc&) {
  }
  if (harness.core.torn()) {
    EXPECT_TRUE(ran) << n_allowed << " allocations";
    return FailedStep::kTorn;
  }
  EXPECT_EQ(harness.core.snapshot(), before) << n_allowed << " allocations";
  harness.core.end_failed_step();
  harness.run();
  for (const auto& [id, request] : requests) {
    const auto right = expected(harness.setup.model, request);
    EXPECT_TRUE(harness.answer(id).finish->reason == FinishReason::kError || harness.answer(id).tokens == right);
    harness.release(id, Outcome::kError);
  }
  EXPECT_THAT(not_settled(harness), IsEmpty()) << n_allowed << " allocations";
  return FailedStep::kWhole;
}

// Every allocation of a step fails once: of the first, which admits and whose buffers are new, and of later ones, which
// prefill and decode. Either nothing has changed, or the core says that it is torn, and that only after the model ran.
TEST(StepMemory, AtEveryAllocationChangesNothingOrSaysSo) {
  std::map<FailedStep, int> n;
  for (const int n_steps_before : {0, 1, 3}) {
    for (int n_allowed = 0;; ++n_allowed) {
      ASSERT_LT(n_allowed, 1000);
      const FailedStep result = step_with(n_allowed, n_steps_before);
      ++n[result];
      if (result == FailedStep::kUnharmed) break;
    }
  }
  EXPECT_GT(n[FailedStep::kWhole], 10);
  EXPECT_GT(n[FailedStep::kTorn], 0);
}

TEST(StepMemory, BeforeThereWasAPlanEndsNobody) {
  CoreHarness harness(kTwoSlots);
  const auto requests = submit_four(harness);
  {
    const FailingNew failing(0);
    EXPECT_THROW(harness.core.step(), std::bad_alloc);
  }
  EXPECT_EQ(harness.core.end_failed_step(), EngineCore::Progress::kNone);
  harness.run();
  for (const auto& [id, request] : requests) EXPECT_EQ(harness.answer(id).tokens, expected(harness.setup.model, request));
}

// A device is lost while there is no memory either: the loop goes on to end what is in the engine.
TEST(LoopMemory, NoFailureGetsOutOfATurn) {
  configure_logging({.level = "off"});
  const auto log = logger("engine");  // as a loop has it that has started
  int n_lost = 0;
  for (int n_allowed = 0; n_allowed < 300; ++n_allowed) {
    RunningEngine running;
    running.runner.set_faults({{0, FakeFault::Kind::kDevice}});
    const auto stream = running.submit(make_request(1, 4, 5));
    {
      const FailingNew failing(n_allowed);
      EXPECT_NO_THROW(running.engine.loop().turn()) << n_allowed << " allocations";
    }
    n_lost += running.engine.health().state == EngineHealth::State::kFailed ? 1 : 0;
  }
  EXPECT_GT(n_lost, 100);
}

class MailboxMemory : public ::testing::Test {
 protected:
  std::vector<Submission> submissions(int first, int n) {
    std::vector<Submission> made;
    for (int i = first; i < first + n; ++i) {
      Request request = make_request(i, 3, 3);
      request.id = RequestId(static_cast<std::uint64_t>(i));
      made.push_back(
          {std::make_shared<const Request>(request), std::make_shared<TokenStream>(request.id, io.get_executor()), {}});
    }
    return made;
  }

  net::io_context io;
  Mailbox mailbox;
};

TEST_F(MailboxMemory, ReleaseAndTakeNeedNoMemory) {
  mailbox.submit(submissions(1, 3));
  std::size_t n_released = 0;
  {
    const FailingNew failing(0);
    for (std::uint64_t id = 1; id <= 3; ++id) mailbox.release(RequestId(id), {});
    n_released = mailbox.take().released.size();
  }
  EXPECT_EQ(n_released, 3U);
}

TEST_F(MailboxMemory, ASubmitWithoutMemoryChangesNothing) {
  const auto three = submissions(1, 3);
  const int n_allocations = fail_each_allocation(
      [&] {
        auto copy = three;
        mailbox.submit(std::move(copy));
      },
      [&] {
        mailbox.release(RequestId(1), {});  // not owed
        EXPECT_TRUE(mailbox.empty());
      });
  EXPECT_GT(n_allocations, 3);
  EXPECT_EQ(mailbox.take().submitted.size(), 3U);
}

}  // namespace
}  // namespace mie::test
