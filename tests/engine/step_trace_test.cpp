// What the step trace says, against counts by hand and against the counters, which are kept apart from it.
#include "core/engine/step_trace.h"

#include "tests/engine/core_harness.h"

#include <gtest/gtest.h>

#include <random>

namespace mie::test {
namespace {

using Event = TracedRow::Event;

StepTraceCopy all_of(const CoreHarness& harness) { return harness.core.trace().since({}); }

std::vector<std::string> kinds_of(const StepTraceCopy& copy, RequestId id) {
  static const std::vector<std::string> kWords = {"submitted", "admitted", "first", "preempted", "ended"};
  std::vector<std::string> kinds;
  for (const RequestEvent& event : copy.events) {
    if (event.id == id) kinds.push_back(kWords[static_cast<std::size_t>(event.kind)]);
  }
  return kinds;
}

// A prompt of 10 in chunks of 8, 3 tokens to give, blocks of 4: rows 0 … 7 fill two blocks, 8 and 9 open a third, in which 10
// and 11 still fit; the third token ends it and is never computed.
TEST(StepTrace, OneRequestByHand) {
  CoreHarness harness;
  const RequestId id = harness.submit(make_request(1, 10, 3));
  harness.run();
  const StepTraceCopy copy = all_of(harness);
  ASSERT_EQ(copy.steps.size(), 4U);
  const int n_tokens[] = {8, 2, 1, 1}, first[] = {0, 8, 10, 11}, taken[] = {2, 1, 0, 0}, used[] = {2, 3, 3, 0};
  const Event events[] = {Event::kJoined, Event::kNone, Event::kNone, Event::kEnded};
  for (std::size_t i = 0; i < 4; ++i) {
    const TracedStep& step = copy.steps[i];
    EXPECT_EQ(step.number, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(step.n_rows, n_tokens[i]) << i;
    EXPECT_EQ(step.n_blocks_taken, taken[i]) << i;
    EXPECT_EQ(step.n_blocks_used, used[i]) << i;
    EXPECT_EQ(step.n_blocks_free, 64 - used[i]) << i;
    EXPECT_EQ(step.n_blocks_back, i == 3 ? 3 : 0) << i;
    EXPECT_EQ(step.tokens.n_prefill, i < 2 ? n_tokens[i] : 0) << i;
    EXPECT_EQ(step.tokens.n_decode, i < 2 ? 0 : 1) << i;
    ASSERT_EQ(step.n_traced_rows, 1) << i;
    const TracedRow& row = copy.rows_of(step)[0];
    EXPECT_EQ(row.id, id);
    EXPECT_EQ(row.first_position, first[i]) << i;
    EXPECT_EQ(row.n_tokens, n_tokens[i]) << i;
    EXPECT_EQ(row.sampled, i > 0) << i;
    EXPECT_EQ(row.event, events[i]) << i;
  }
  EXPECT_EQ(kinds_of(copy, id), (std::vector<std::string>{"submitted", "admitted", "first", "ended"}));
  EXPECT_EQ(copy.events.front().n_tokens, 10);
  EXPECT_EQ(copy.events.back().n_tokens, 3);
  EXPECT_EQ(copy.events.back().step, 4);
  EXPECT_EQ(copy.events.back().reason, FinishReason::kLength);
}

// Time moves in the model alone, 5 ms a step.
TEST(StepTrace, PhasesAreStampsOfTheClock) {
  CoreHarness harness;
  harness.runner.set_before_step([&](int, const StepBatch&) { harness.clock.advance(std::chrono::milliseconds(5)); });
  const auto start = harness.clock.now();
  harness.submit(make_request(1, 4, 2));
  harness.run();
  const StepTraceCopy copy = all_of(harness);
  ASSERT_EQ(copy.steps.size(), 2U);
  EXPECT_EQ(copy.steps[0].begin, start);
  EXPECT_EQ(copy.steps[1].begin, start + std::chrono::milliseconds(5));
  for (const TracedStep& step : copy.steps) {
    EXPECT_EQ(step.run, std::chrono::milliseconds(5));
    EXPECT_EQ(step.plan + step.commit, Clock::duration::zero());
  }
}

// Two sequences of 8 + 8 tokens want 4 blocks each of 4; there are 6, so the younger goes when
// they need their fourth, and computes its tokens again.
TEST(StepTrace, EvictionsAndWhatTheyCost) {
  CoreHarness harness({.n_blocks = 6});
  const RequestId elder = harness.submit(make_request(1, 8, 8)), younger = harness.submit(make_request(2, 8, 8));
  harness.run();
  const StepTraceCopy copy = all_of(harness);
  int n_evicted = 0, n_recompute = 0;
  for (const TracedStep& step : copy.steps) {
    n_evicted += step.n_evicted;
    n_recompute += step.tokens.n_recompute;
    if (step.n_evicted == 0) continue;
    const TracedRow& row = copy.rows_of(step)[0];
    EXPECT_EQ(row.event, Event::kPreempted);
    EXPECT_EQ(row.id, younger);
    EXPECT_EQ(row.n_tokens, 0);
    EXPECT_EQ(step.n_traced_rows, step.n_evicted + step.n_seqs);
  }
  ASSERT_GE(n_evicted, 1);
  EXPECT_EQ(n_recompute, static_cast<int>(harness.metrics().sum("mie_tokens_computed_total", {{"kind", "recompute"}})));
  const auto kinds = kinds_of(copy, younger);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "preempted"), n_evicted);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "admitted"), n_evicted + 1);
  EXPECT_EQ(kinds_of(copy, elder), (std::vector<std::string>{"submitted", "admitted", "first", "ended"}));
}

TEST(StepTrace, AFailedStepLeavesNoLineButItsNumber) {
  CoreHarness harness;
  harness.runner.set_faults({{.step = 1}});
  const RequestId id = harness.submit(make_request(1, 10, 3));
  harness.run();
  harness.submit(make_request(2, 4, 1));
  harness.run();
  const StepTraceCopy copy = all_of(harness);
  ASSERT_EQ(copy.steps.size(), 2U);
  EXPECT_EQ(copy.steps[0].number, 1);
  EXPECT_EQ(copy.steps[1].number, 3);
  EXPECT_EQ(copy.steps[1].n_blocks_back, copy.steps[0].n_blocks_used + copy.steps[1].n_blocks_taken);
  EXPECT_EQ(kinds_of(copy, id), (std::vector<std::string>{"submitted", "admitted", "ended"}));
}

TEST(StepTrace, AReleaseBetweenStepsEndsNoRow) {
  CoreHarness harness;
  const RequestId id = harness.submit(make_request(1, 4, 50));
  harness.core.step();
  harness.release(id, Outcome::kClientGone);
  const StepTraceCopy copy = all_of(harness);
  ASSERT_EQ(copy.rows.size(), 1U);
  EXPECT_EQ(copy.rows[0].event, Event::kJoined);
  EXPECT_EQ(copy.events.back().kind, RequestEvent::Kind::kEnded);
  EXPECT_EQ(copy.events.back().reason, FinishReason::kCancelled);
}

void random_run(CoreHarness& harness, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
  for (int i = 0; i < 40; ++i) {
    if (harness.core.idle() || below(3) == 0) {
      const RequestId id = harness.submit(make_request(below(1000), 1 + below(30), 1 + below(30)));
      if (below(8) == 0) harness.release(id, Outcome::kAborted);
    }
    if (!harness.core.idle()) harness.core.step();
  }
  harness.run();
}

TEST(StepTrace, SumsAreThoseOfTheCounters) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CoreHarness harness({.n_blocks = 16, .n_drafts = seed % 2 == 0 ? 4 : 0});
    random_run(harness, seed);
    const StepTraceCopy copy = all_of(harness);
    RowTokens by_step;
    int n_used = 0;
    for (const TracedStep& step : copy.steps) {
      by_step.n_prefill += step.tokens.n_prefill;
      by_step.n_recompute += step.tokens.n_recompute;
      by_step.n_decode += step.tokens.n_decode;
      by_step.n_rejected += step.tokens.n_rejected;
      n_used += step.n_blocks_taken - step.n_blocks_back;
      EXPECT_EQ(step.n_blocks_used, n_used);
      int n_rows = 0;
      for (const TracedRow& row : copy.rows_of(step)) {
        n_rows += row.n_tokens;
        EXPECT_EQ(row.n_tokens, row.tokens.n_prefill + row.tokens.n_recompute + row.tokens.n_decode + row.tokens.n_rejected);
      }
      EXPECT_EQ(n_rows, step.n_rows);
    }
    const auto counted = [&](const char* kind) {
      return static_cast<int>(harness.metrics().sum("mie_tokens_computed_total", {{"kind", kind}}));
    };
    EXPECT_EQ(by_step.n_prefill, counted("prefill")) << seed;
    EXPECT_EQ(by_step.n_recompute, counted("recompute")) << seed;
    EXPECT_EQ(by_step.n_decode, counted("decode")) << seed;
    EXPECT_EQ(by_step.n_rejected, counted("rejected")) << seed;
  }
}

TEST(StepTrace, HoldsTheLastStepsAndCountsTheLost) {
  StepTrace trace(4, 2, 64);
  for (int i = 0; i < 10; ++i) {
    trace.planned({}, {});
    for (std::uint64_t id = 1; id <= 2; ++id) trace.row({.id = RequestId(id), .n_tokens = i}, {.n_decode = i});
    trace.committed({});
  }
  const StepTraceCopy whole = trace.since({});
  EXPECT_EQ(whole.n_lost_steps, 6);
  ASSERT_EQ(whole.steps.size(), 4U);
  EXPECT_EQ(whole.steps.front().number, 7);
  EXPECT_EQ(whole.next.step, 10);
  for (const TracedStep& step : whole.steps) {
    for (const TracedRow& row : whole.rows_of(step)) EXPECT_EQ(row.n_tokens, step.number - 1);
  }
  const StepTraceCopy rest = trace.since({.step = 9});
  EXPECT_EQ(rest.n_lost_steps, 0);
  ASSERT_EQ(rest.steps.size(), 1U);
  EXPECT_EQ(rest.steps[0].number, 10);
  EXPECT_TRUE(trace.since(whole.next).steps.empty());
  EXPECT_EQ(trace.last(2).steps.size(), 2U);
  EXPECT_EQ(trace.last(1000).steps.size(), 4U);
}

// There is memory for 64 rows a step: 2 steps of 128 evicted and 128 run are more than the 4 × 64 of them.
TEST(StepTrace, LargeStepsPushOlderOnesOutWhole) {
  StepTrace trace(4, 128, 64);
  for (int i = 0; i < 3; ++i) {
    trace.planned({}, {});
    for (std::uint64_t id = 1; id <= 100; ++id) trace.row({.id = RequestId(id), .n_tokens = 1}, {.n_decode = 1});
    trace.committed({});
  }
  const StepTraceCopy copy = trace.since({});
  EXPECT_EQ(copy.n_lost_steps, 1);
  ASSERT_EQ(copy.steps.size(), 2U);
  for (const TracedStep& step : copy.steps) EXPECT_EQ(copy.rows_of(step).size(), 100U);
}

}  // namespace
}  // namespace mie::test
