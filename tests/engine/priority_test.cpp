// A unit of priority counts as one second of waiting here.
#include "tests/engine/core_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Priorities : public ::testing::Test {
 protected:
  static CoreSetup setup(int max_seqs, int n_blocks) {
    CoreSetup setup;
    setup.limits = {.max_seqs = max_seqs, .max_tokens = 16, .max_prefill_chunk = 8};
    setup.n_blocks = n_blocks;
    setup.prefix_caching = false;
    setup.priority_ageing = 1s;
    return setup;
  }

  static RequestId submit(CoreHarness& harness, int priority, int max_tokens = 3) {
    Request request = make_request(1, 4, max_tokens);
    request.priority = priority;
    return harness.submit(std::move(request));
  }

  // In the order of their ends.
  static std::vector<RequestId> order(CoreHarness& harness, std::vector<RequestId> ids) {
    std::vector<RequestId> ended;
    for (int i = 0; i < 1000 && !ids.empty(); ++i) {
      if (!harness.core.idle()) harness.core.step();
      harness.core.check_invariants();
      std::erase_if(ids, [&](RequestId id) {
        if (!harness.answer(id).finish) return false;
        ended.push_back(id);
        return true;
      });
    }
    return ended;
  }
};

TEST_F(Priorities, TheMoreUrgentGoesFirstAndWaitingMakesUpForIt) {
  CoreHarness harness(setup(1, 64));
  const RequestId running = submit(harness, 0);
  harness.core.step();
  const RequestId patient = submit(harness, 0);
  harness.clock.advance(4s);
  const RequestId urgent = submit(harness, -5);  // as if it had come a second before
  const RequestId lax = submit(harness, 1);
  harness.clock.advance(2s);
  const RequestId late = submit(harness, -5);  // as if a second after the patient one
  EXPECT_THAT(order(harness, {running, patient, urgent, lax, late}), ElementsAre(running, urgent, patient, late, lax));
}

TEST_F(Priorities, EqualOnesGoByArrival) {
  CoreHarness harness(setup(1, 64));
  const RequestId a = submit(harness, 7), b = submit(harness, 7), c = submit(harness, 7);
  EXPECT_THAT(order(harness, {c, b, a}), ElementsAre(a, b, c));
}

// Two that grow to 20 tokens on a pool of 24: the one that came first is less urgent and gives way.
TEST_F(Priorities, TheLeastUrgentIsEvicted) {
  CoreHarness harness(setup(2, 6));
  const RequestId lax = submit(harness, 3, 16), urgent = submit(harness, 0, 16);
  EXPECT_THAT(order(harness, {lax, urgent}), ElementsAre(urgent, lax));
  EXPECT_GT(harness.answer(lax).finish->times.n_preemptions, 0);
  EXPECT_EQ(harness.answer(urgent).finish->times.n_preemptions, 0);
  EXPECT_EQ(harness.answer(lax).tokens, harness.answer(urgent).tokens);
}

// A stream of urgent requests, one a step, each taking two: the patient one is served once those that came within its five
// seconds are.
TEST_F(Priorities, NobodyStarves) {
  CoreHarness harness(setup(1, 64));
  const RequestId patient = submit(harness, 0, 2);
  int n_before = 0;
  for (; !harness.answer(patient).finish && n_before < 100; ++n_before) {
    submit(harness, -5, 2);
    harness.clock.advance(1s);
    harness.core.step();
  }
  EXPECT_LE(n_before, 2 * 6 + 2);
  harness.core.end_all(FinishReason::kCancelled, {});
}

}  // namespace
}  // namespace mie::test
