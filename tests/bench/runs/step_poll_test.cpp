// What GET /debug/steps says becomes the steps of a load.
#include "bench/run/step_poll.h"

#include <gtest/gtest.h>

namespace mie::bench {
namespace {

// A prompt of 5 tokens beside a sequence that decodes its 11th; in the step after it both decode.
constexpr const char* kTwoSteps = R"({"object":"list","n_committed":8,"step_ring":4,"data":[
{"step":7,"begin_ns":1000,"plan_ns":1,"run_ns":20,"commit_ns":3,"rows":6,"seqs":2,"prefill":5,"recompute":0,"decode":1,
 "drafts_accepted":0,"drafts_rejected":0,"blocks_taken":1,"blocks_back":0,"blocks_used":2,"blocks_free":6,"evicted":0,"rejected":0,
 "sequences":[{"id":1,"first":10,"n":1,"sampled":true},{"id":2,"first":0,"n":5,"prefill":5,"sampled":true,"joined":true}]},
{"step":8,"begin_ns":2000,"plan_ns":1,"run_ns":10,"commit_ns":3,"rows":2,"seqs":2,"prefill":0,"recompute":0,"decode":2,
 "drafts_accepted":0,"drafts_rejected":0,"blocks_taken":0,"blocks_back":0,"blocks_used":2,"blocks_free":6,"evicted":0,"rejected":0,
 "sequences":[{"id":1,"first":11,"n":1,"sampled":true,"ended":true},{"id":2,"first":5,"n":1,"sampled":true}]}]})";

TEST(StepPoll, TakesEachStepOnce) {
  LoadSteps steps;
  std::int64_t seen = 6;
  ASSERT_TRUE(add_steps(kTwoSteps, -400, seen, steps));
  ASSERT_TRUE(add_steps(kTwoSteps, -400, seen, steps)) << "the same answer again";
  EXPECT_EQ(seen, 8);
  ASSERT_EQ(steps.lines.size(), 2U);
  EXPECT_EQ(steps.counts.decode_forwards, 2);
  EXPECT_EQ(steps.counts.prefill_forwards, 1);
  EXPECT_EQ(steps.counts.decode_rows, 3);
  EXPECT_EQ(steps.counts.prefill_rows, 5);
  EXPECT_EQ(steps.n_lost, 0);
  EXPECT_EQ(steps.lines[0].begin_ns, 600);
  EXPECT_EQ(steps.lines[0].context, 11 + (1 + 2 + 3 + 4 + 5));
  EXPECT_EQ(steps.lines[0].n_decoding, 1);
  EXPECT_EQ(steps.lines[1].context, 12 + 6);
  EXPECT_EQ(steps.lines[1].n_decoding, 2);
}

TEST(StepPoll, CountsWhatTheRingHasLost) {
  LoadSteps steps;
  std::int64_t seen = 3;
  ASSERT_TRUE(add_steps(kTwoSteps, 0, seen, steps));
  EXPECT_EQ(steps.n_lost, 3) << "4, 5 and 6";
  EXPECT_EQ(steps.counts.steps, 2);
  EXPECT_FALSE(add_steps("<html>", 0, seen, steps));
}

}  // namespace
}  // namespace mie::bench
