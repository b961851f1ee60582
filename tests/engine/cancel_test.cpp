// A connection lets go, or a deadline passes, in every state that a request can be in.
#include "tests/engine/core_harness.h"
#include "tests/fakes/conservation_laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace mie::test {
namespace {

using ::testing::IsEmpty;

// A harness with a victim in a known state and a bystander that must not notice.
struct Scene {
  explicit Scene(const CoreSetup& setup) : harness(setup) {}

  CoreHarness harness;
  RequestId victim;
  RequestId bystander;
  Request bystander_request = make_request(2, 6, 30);
};

using MakeScene = std::function<std::unique_ptr<Scene>()>;

std::unique_ptr<Scene> scene(const CoreSetup& setup, Request victim) {
  auto made = std::make_unique<Scene>(setup);
  victim.deadline = made->harness.clock.now() + std::chrono::seconds(1);
  made->bystander = made->harness.submit(made->bystander_request);
  made->harness.core.step();
  made->victim = made->harness.submit(std::move(victim));
  return made;
}

std::unique_ptr<Scene> just_submitted() { return scene({}, make_request(1, 10, 20)); }

std::unique_ptr<Scene> waiting() {
  auto made = scene({.limits = {.max_seqs = 1, .max_tokens = 16, .max_prefill_chunk = 8}}, make_request(1, 10, 20));
  made->harness.core.step();
  EXPECT_EQ(made->harness.state_of(made->victim), SeqState::kWaiting);
  return made;
}

std::unique_ptr<Scene> between_prefill_chunks() {
  auto made = scene({}, make_request(1, 30, 20));
  made->harness.core.step();
  const EngineSnapshot snapshot = made->harness.core.snapshot();
  EXPECT_EQ(made->harness.find(snapshot, made->victim)->n_computed, 8);
  return made;
}

std::unique_ptr<Scene> decoding() {
  auto made = scene({}, make_request(1, 10, 20));
  for (int i = 0; i < 4; ++i) made->harness.core.step();
  EXPECT_EQ(made->harness.answer(made->victim).tokens.size(), 3U);
  return made;
}

// 10 blocks of 4: the bystander (36 tokens, 9 blocks) and the victim (24 tokens, 6 blocks) cannot both grow to their end.
std::unique_ptr<Scene> preempted() {
  auto made = scene({.n_blocks = 10}, make_request(1, 4, 20));
  for (int i = 0; i < 100; ++i) {
    made->harness.core.step();
    const EngineSnapshot snapshot = made->harness.core.snapshot();
    const SequenceRecord* victim = made->harness.find(snapshot, made->victim);
    if (victim != nullptr && victim->preempted) return made;
  }
  ADD_FAILURE() << "the victim was never preempted";
  return made;
}

const std::pair<const char*, MakeScene> kStates[] = {{"just submitted", just_submitted},
                                                     {"waiting", waiting},
                                                     {"between prefill chunks", between_prefill_chunks},
                                                     {"decoding", decoding},
                                                     {"preempted", preempted}};

int blocks_of(const Scene& scene, RequestId id) {
  const EngineSnapshot snapshot = scene.harness.core.snapshot();
  const SequenceRecord* found = scene.harness.find(snapshot, id);
  return found == nullptr ? 0 : static_cast<int>(found->blocks.size());
}

void expect_bystander_unharmed(Scene& scene, const char* state) {
  scene.harness.run();
  const Answer& answer = scene.harness.answer(scene.bystander);
  EXPECT_EQ(answer.tokens, expected(scene.harness.setup.model, scene.bystander_request)) << state;
  scene.harness.release(scene.bystander, Outcome::kComplete, static_cast<int>(answer.tokens.size()));
  EXPECT_THAT(not_settled(scene.harness), IsEmpty()) << state;
}

TEST(Cancel, FreesBlocksAndSlotAtOnceInEveryState) {
  for (const auto& [state, make] : kStates) {
    const auto made = make();
    CoreHarness& harness = made->harness;
    const auto expected_tokens = harness.answer(made->victim).tokens;
    const int held = blocks_of(*made, made->victim);
    const int free_before = harness.core.snapshot().n_available();
    harness.release(made->victim, Outcome::kClientGone);
    EXPECT_EQ(harness.core.snapshot().n_available(), free_before + held) << state;
    EXPECT_EQ(harness.state_of(made->victim), SeqState::kFinished) << state;
    EXPECT_THAT(broken_laws(harness.metrics(), LawsOf::kAnyTime), IsEmpty()) << state;
    EXPECT_EQ(harness.metrics().value("mie_cancel_seconds_count"), 1) << state;
    EXPECT_EQ(harness.answer(made->victim).tokens, expected_tokens) << state;
    EXPECT_EQ(harness.answer(made->victim).finish->reason, FinishReason::kCancelled) << state;
    expect_bystander_unharmed(*made, state);
    EXPECT_EQ(harness.metrics().value("mie_tokens_discarded_total", {{"reason", "client_gone"}}),
              static_cast<double>(expected_tokens.size()))
        << state;
  }
}

// Submitted and released in the same mail: never prefilled.
TEST(Cancel, OfARequestThatTheEngineHasNotSeenYet) {
  CoreHarness harness;
  Request request = make_request(1, 10, 5);
  request.id = RequestId(77);
  request.arrival = harness.clock.now();
  {
    const auto held = harness.counters.lock();
    harness.counters.accepted(1, 10);
  }
  Mail mail;
  mail.submitted.push_back({std::make_shared<const Request>(request),
                            std::make_shared<TokenStream>(request.id, harness.io.get_executor()), harness.clock.now()});
  mail.released[request.id] = {.outcome = Outcome::kClientGone, .n_delivered = 0, .at = harness.clock.now()};
  harness.core.take(std::move(mail));
  EXPECT_TRUE(harness.core.idle());
  EXPECT_THAT(not_settled(harness), IsEmpty());
  EXPECT_EQ(harness.metrics().sum("mie_tokens_computed_total"), 0);
  EXPECT_EQ(harness.metrics().value("mie_choices_without_token_total"), 1);
}

TEST(Cancel, OfAFinishedRequestOnlySettlesItsTokens) {
  CoreHarness harness;
  const RequestId id = harness.submit(make_request(1, 4, 6));
  harness.run();
  EXPECT_EQ(harness.metrics().value("mie_tokens_pending"), 6);
  harness.release(id, Outcome::kClientGone);
  const MetricsText metrics = harness.metrics();
  EXPECT_EQ(metrics.value("vllm:request_success_total", {{"finished_reason", "length"}}), 1);
  EXPECT_EQ(metrics.value("mie_tokens_discarded_total", {{"reason", "client_gone"}}), 6);
  EXPECT_EQ(metrics.value("mie_cancel_seconds_count"), 0);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(Cancel, AnAbandonedPrefillIsCountedAsSuch) {
  const auto made = between_prefill_chunks();
  made->harness.release(made->victim, Outcome::kClientGone);
  EXPECT_EQ(made->harness.metrics().value("mie_prefill_tokens_abandoned_total"), 8);
}

TEST(Deadline, EndsTheRequestInEveryState) {
  for (const auto& [state, make] : kStates) {
    const auto made = make();
    CoreHarness& harness = made->harness;
    const int held = blocks_of(*made, made->victim);
    const int free_before = harness.core.snapshot().n_available();
    harness.clock.advance(std::chrono::milliseconds(999));
    harness.core.reap();
    EXPECT_FALSE(harness.answer(made->victim).finish) << state;
    harness.clock.advance(std::chrono::milliseconds(1));
    harness.core.reap();
    EXPECT_EQ(harness.core.snapshot().n_available(), free_before + held) << state;
    const Answer& answer = harness.answer(made->victim);
    ASSERT_TRUE(answer.finish) << state;
    EXPECT_EQ(answer.finish->reason, FinishReason::kDeadline) << state;
    EXPECT_EQ(answer.finish->error->code, Errc::kDeadlineExceeded) << state;
    EXPECT_EQ(harness.metrics().value("vllm:request_success_total", {{"finished_reason", "abort"}}), 1) << state;
    harness.release(made->victim, Outcome::kDeadline);
    expect_bystander_unharmed(*made, state);
  }
}

// Seeded loop: requests come, are let go of at random moments, time out or end; nothing leaks and nobody else notices.
TEST(Cancel, AtRandomMomentsOverTenThousandSteps) {
  CoreHarness harness({.n_blocks = 24});
  std::mt19937 random(11);
  std::map<RequestId, std::vector<TokenId>> live;  // with the right answer
  int n_complete = 0;
  int n_released = 0;
  for (int step = 0; step < 10'000; ++step) {
    if (live.size() < 10 && random() % 3 == 0) {
      Request request = make_request(step, 1 + static_cast<int>(random() % 30), 1 + static_cast<int>(random() % 30));
      if (random() % 4 == 0) request.deadline = harness.clock.now() + std::chrono::milliseconds(random() % 40);
      const RequestId id = harness.submit(request);
      live.emplace(id, expected(harness.setup.model, request));
    }
    harness.clock.advance(std::chrono::milliseconds(1));
    harness.core.reap();
    if (!harness.core.idle()) harness.core.step();
    for (auto it = live.begin(); it != live.end();) {
      const Answer& answer = harness.answer(it->first);
      const std::vector<TokenId>& right = it->second;
      ASSERT_TRUE(is_prefix(answer.tokens, right)) << "step " << step;
      const bool lets_go = random() % 50 == 0;
      if (!answer.finish && !lets_go) {
        ++it;
        continue;
      }
      if (answer.finish && answer.finish->reason == FinishReason::kLength) {
        ASSERT_EQ(answer.tokens, right);
        ++n_complete;
        harness.release(it->first, Outcome::kComplete, static_cast<int>(answer.tokens.size()));
      } else {
        harness.release(it->first, answer.finish ? Outcome::kDeadline : Outcome::kClientGone);
      }
      ++n_released;
      it = live.erase(it);
    }
    if (step % 16 == 0) harness.core.check_invariants();
    if (step % 256 == 0) {
      ASSERT_THAT(broken_laws(harness.metrics(), LawsOf::kAnyTime), IsEmpty());
    }
  }
  for (const auto& [id, right] : live) harness.release(id, Outcome::kShutdown);
  EXPECT_THAT(not_settled(harness), IsEmpty());
  EXPECT_GT(n_complete, 200);
  EXPECT_GT(n_released, n_complete + 100);
  EXPECT_GT(harness.metrics().value("vllm:num_preemptions_total"), 50);
}

}  // namespace
}  // namespace mie::test
