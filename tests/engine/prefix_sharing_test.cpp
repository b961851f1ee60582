// What sequences share changes the work, never an answer. Blocks of 4 tokens.
#include "tests/engine/core_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;

class PrefixSharing : public ::testing::Test {
 protected:
  explicit PrefixSharing(CoreSetup setup = {}) : harness(std::move(setup)) {}

  // Runs it to its end, holds its answer against the right one, and says how many prompt tokens it found.
  int found(const Request& request) {
    const RequestId id = harness.submit(request);
    harness.run();
    expect_right(id, request);
    return harness.answer(id).finish->times.n_cached_tokens;
  }
  void expect_right(RequestId id, const Request& request) {
    const auto right = expected(harness.setup.model, request);
    EXPECT_EQ(harness.answer(id).tokens, right);
    harness.release(id, Outcome::kComplete, static_cast<int>(right.size()));
  }
  double computed(const char* kind) { return harness.metrics().value("mie_tokens_computed_total", {{"kind", kind}}); }
  void TearDown() override { EXPECT_THAT(not_settled(harness), IsEmpty()); }

  CoreHarness harness;
};

class WithoutPrefixCache : public PrefixSharing {
 protected:
  WithoutPrefixCache() : PrefixSharing({.prefix_caching = false}) {}
};

// 3 blocks of 12 are found again, and of exactly 12 tokens only two, since the logits of the last one are wanted.
TEST_F(PrefixSharing, AtMostAllButTheLastPromptTokenIsFound) {
  EXPECT_EQ(found(make_request(1, 13, 3)), 0);
  for (const auto& [n_prompt, n_found] : {std::pair(13, 12), {12, 8}, {11, 8}, {4, 0}, {5, 4}, {1, 0}})
    EXPECT_EQ(found(make_request(1, n_prompt, 2)), n_found) << n_prompt;
  EXPECT_EQ(found(make_request(2, 13, 2)), 0);
}

TEST_F(PrefixSharing, AnAnswerIsFoundAsPartOfTheNextPrompt) {
  const Request first = make_request(1, 6, 7);
  EXPECT_EQ(found(first), 0);
  Request second = make_request(3, 0, 2);
  second.prompt = first.prompt;
  for (const TokenId token : expected(harness.setup.model, first)) second.prompt.push_back(token);
  second.prompt.emplace_back(5);
  EXPECT_EQ(found(second), 12) << "the K,V of 12 of the first 13 tokens were computed, the last sampled one's were not";
}

TEST_F(PrefixSharing, CountsWhatItFindsAndWhatItComputes) {
  found(make_request(1, 13, 3));
  found(make_request(1, 13, 3));
  const MetricsText metrics = harness.metrics();
  EXPECT_EQ(computed("prefill"), 13 + 1);
  EXPECT_EQ(metrics.value("vllm:prefix_cache_queries_total"), 26);
  EXPECT_EQ(metrics.value("vllm:prefix_cache_hits_total"), 12);
  EXPECT_EQ(metrics.value("vllm:prompt_tokens_total"), 26);
  EXPECT_EQ(metrics.value("vllm:prompt_tokens_cached_total"), 12);
  EXPECT_EQ(metrics.value("vllm:prompt_tokens_by_source_total", {{"source", "local_compute"}}), 14);
  EXPECT_EQ(metrics.value("mie_kv_blocks", {{"state", "cached"}}), 3) << "13 and 2 sampled tokens: three full blocks";
  EXPECT_EQ(metrics.value("mie_kv_blocks", {{"state", "free"}}), 61);
}

// The second comes while the first decodes: it starts behind two blocks that the first holds. 2 shared, 2 own each.
TEST_F(PrefixSharing, BlocksOfARunningRequestAreFound) {
  const Request first = make_request(1, 9, 6), second = make_request(1, 11, 4);
  const RequestId a = harness.submit(first);
  for (int i = 0; i < 3; ++i) harness.core.step();
  const RequestId b = harness.submit(second);
  harness.core.step();
  harness.core.check_invariants();
  EXPECT_EQ(harness.metrics().value("mie_kv_blocks", {{"state", "used"}}), 4);
  const EngineSnapshot snapshot = harness.core.snapshot();
  EXPECT_EQ(harness.find(snapshot, b)->n_computed, 11);
  EXPECT_EQ(snapshot.n_references.at(static_cast<std::size_t>(harness.find(snapshot, a)->blocks[1].value())), 2);
  harness.run();
  expect_right(a, first);
  expect_right(b, second);
}

// 16 of 19 and of 18 tokens are the same, in four blocks: they are computed once, though both come at the same time, and the
// one that has nothing to do with it passes by.
TEST_F(PrefixSharing, WhatIsBeingComputedIsWaitedFor) {
  Request first = make_request(1, 16, 2), second = make_request(1, 16, 2);
  for (const int token : {7, 8, 9}) first.prompt.emplace_back(token);
  for (const int token : {5, 6}) second.prompt.emplace_back(token);
  const Request other = make_request(2, 6, 1);
  const RequestId a = harness.submit(first), b = harness.submit(second), c = harness.submit(other);
  harness.core.step();
  EXPECT_EQ(harness.state_of(a), SeqState::kRunning);
  EXPECT_EQ(harness.state_of(b), SeqState::kWaiting);
  EXPECT_EQ(harness.state_of(c), SeqState::kFinished);
  harness.run();
  EXPECT_EQ(computed("prefill"), 19 + 2 + 6);
  expect_right(a, first);
  expect_right(b, second);
  expect_right(c, other);
}

TEST_F(PrefixSharing, WhoeverWaitsForAnAbortedOneComputesItself) {
  const Request request = make_request(1, 20, 2);
  const RequestId a = harness.submit(request), b = harness.submit(request);
  harness.core.step();
  harness.release(a, Outcome::kClientGone);
  harness.run();
  EXPECT_EQ(harness.answer(b).finish->times.n_cached_tokens, 8);
  expect_right(b, request);
}

// A batch that runs to its end takes both at once.
class StaticBatches : public PrefixSharing {
 protected:
  StaticBatches() : PrefixSharing({.scheduler = SchedulerKind::kStatic}) {}
};

TEST_F(StaticBatches, WhatTwoComputeAtOnceIsKeptOnce) {
  const Request request = make_request(1, 8, 5);
  const RequestId a = harness.submit(request), b = harness.submit(request);
  harness.core.step();
  harness.core.check_invariants();
  EXPECT_EQ(harness.metrics().value("mie_kv_blocks", {{"state", "used"}}), 2);
  harness.run();
  expect_right(a, request);
  expect_right(b, request);
}

TEST_F(PrefixSharing, SaltsKeepApart) {
  Request salted = make_request(1, 13, 2);
  EXPECT_EQ(found(salted), 0);
  salted.cache_salt = "a";
  EXPECT_EQ(found(salted), 0);
  EXPECT_EQ(found(salted), 12);
  salted.cache_salt = "b";
  EXPECT_EQ(found(salted), 0);
}

TEST_F(PrefixSharing, AFlushDropsWhatNobodyHolds) {
  found(make_request(1, 13, 2));
  const Request held = make_request(2, 9, 30);
  const RequestId id = harness.submit(held);
  for (int i = 0; i < 3; ++i) harness.core.step();
  EXPECT_EQ(harness.core.flush_prefixes(), 3);
  EXPECT_EQ(harness.metrics().value("mie_prefix_evictions_total"), 3);
  EXPECT_EQ(harness.core.flush_prefixes(), 0);
  harness.run();
  expect_right(id, held);
  EXPECT_EQ(found(make_request(1, 13, 2)), 0);
}

TEST_F(PrefixSharing, AFailedStepLeavesWhatWasCached) {
  found(make_request(1, 13, 2));
  harness.runner.set_faults({{.step = 4, .kind = FakeFault::Kind::kModelStep}});
  const RequestId id = harness.submit(make_request(1, 13, 2));
  harness.run();
  EXPECT_EQ(harness.answer(id).finish->reason, FinishReason::kError);
  harness.release(id, Outcome::kError);
  EXPECT_EQ(found(make_request(1, 13, 2)), 12);
}

TEST_F(WithoutPrefixCache, NothingIsFoundAndNothingKept) {
  EXPECT_EQ(found(make_request(1, 13, 2)), 0);
  EXPECT_EQ(found(make_request(1, 13, 2)), 0);
  EXPECT_EQ(harness.metrics().value("mie_kv_blocks", {{"state", "cached"}}), 0);
  EXPECT_EQ(harness.metrics().value("vllm:prefix_cache_queries_total"), 0);
}

// 4 choices of a prompt of 10: one computes it. The others take its two full blocks, copy the half third one and compute the
// last token again.
class ChoicesTest : public ::testing::TestWithParam<bool> {};

TEST_P(ChoicesTest, OfOnePromptComputeItOnce) {
  CoreHarness harness({.prefix_caching = GetParam()});
  const Request request = make_request(1, 10, 6);
  const auto ids = harness.submit_choices(request, 4);
  for (int i = 0; i < 3; ++i) {
    harness.core.step();
    harness.core.check_invariants();
  }
  EXPECT_EQ(harness.metrics().value("mie_kv_blocks", {{"state", "used"}}), 2 + 4) << "two shared, one of each";
  harness.run();
  const MetricsText metrics = harness.metrics();
  EXPECT_EQ(metrics.value("mie_tokens_computed_total", {{"kind", "prefill"}}), 10);
  EXPECT_EQ(metrics.value("mie_tokens_computed_total", {{"kind", "recompute"}}), 3);
  EXPECT_EQ(metrics.value("vllm:prompt_tokens_total"), 10) << "once a prompt";
  EXPECT_EQ(metrics.value("vllm:time_to_first_token_seconds_count"), 4);
  const auto right = expected(harness.setup.model, request);
  for (const RequestId id : ids) {
    EXPECT_EQ(harness.answer(id).tokens, right);
    harness.release(id, Outcome::kComplete, 6);
  }
  EXPECT_THAT(not_settled(harness), IsEmpty());
  EXPECT_EQ(harness.metrics().value("mie_kv_blocks", {{"state", "cached"}}), GetParam() ? 3 : 0);
}

// The first choice has ended before another one gets a seat: its full blocks are still there, the rest is computed again.
TEST_P(ChoicesTest, OutliveTheFirstOfThem) {
  CoreHarness harness({.prefix_caching = GetParam()});
  const Request request = make_request(1, 11, 1);
  const auto ids = harness.submit_choices(request, 3);
  harness.run();
  EXPECT_EQ(harness.metrics().value("mie_tokens_computed_total", {{"kind", "prefill"}}), 11);
  EXPECT_EQ(harness.metrics().value("mie_tokens_computed_total", {{"kind", "recompute"}}), 2 * 3);
  for (const RequestId id : ids) {
    EXPECT_EQ(harness.answer(id).tokens, expected(harness.setup.model, request));
    harness.release(id, Outcome::kComplete, 1);
  }
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST_P(ChoicesTest, GoOnWhenTheFirstIsAborted) {
  CoreHarness harness({.prefix_caching = GetParam()});
  const Request request = make_request(1, 20, 4);
  const auto ids = harness.submit_choices(request, 3);
  harness.core.step();  // 8 of the 20
  harness.release(ids[0], Outcome::kClientGone);
  harness.run();
  for (const RequestId id : {ids[1], ids[2]}) {
    EXPECT_EQ(harness.answer(id).tokens, expected(harness.setup.model, request));
    harness.release(id, Outcome::kComplete, 4);
  }
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(PrefixCache, ChoicesTest, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "on" : "off"; });

}  // namespace
}  // namespace mie::test
