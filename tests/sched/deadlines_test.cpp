// A waiting sequence with more pending rows than fit before its deadline is given up by the plan, and plan_check sees it when
// one is given up too many or too few.
#include "core/sched/plan_check.h"
#include "tests/sched/fcfs_plans.h"
#include "tests/sched/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie {
namespace {

using test::chunked;
using test::decoding;
using test::due;
using test::ids;
using test::row;
using test::waiting;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Deadlines, WhatWouldBeLateIsGivenUpAndTheNextInLineGetsIn) {
  const StepPlan p = chunked({decoding(1, 8, 2), due(waiting(2, 6, 9), 5), due(waiting(3, 3, 9), 3)}, 8, 12);
  EXPECT_THAT(p.late, ElementsAre(RequestId(2)));
  EXPECT_THAT(p.run, ElementsAre(row(1, 7, 1, 0, true), row(3, 0, 3, 1, true)));
}

TEST(Deadlines, WhatIsComputedAlreadyNeedsNoTime) {
  SeqView found = due(waiting(1, 10, 14), 2);
  found.n_computed = 8;
  found.n_blocks = 2;
  EXPECT_THAT(chunked({found}, 8, 12).run, ElementsAre(row(1, 8, 2, 1, true)));
  found.n_timely = 1;
  EXPECT_THAT(chunked({found}, 8, 12).late, ElementsAre(RequestId(1)));
}

TEST(Deadlines, WhatCanNeverFitIsRejectedForThat) {
  const StepPlan p = chunked({due(waiting(1, 20, 30), 5)}, 4, 4);
  EXPECT_THAT(p.reject, ElementsAre(RequestId(1)));
  EXPECT_THAT(p.late, IsEmpty());
}

// 1 prefills the last 4 of 8 tokens, 2 with 6 waits; both fit. The plan is right as it stands.
struct Checked {
  std::vector<SeqView> seqs{test::running(1, {.prompt = 8, .total = 8, .computed = 4, .blocks = 1, .max_total = 12}),
                            waiting(2, 6, 9)};
  StepPlan plan{.run = {{RequestId(1), 4, 4, 1, true}, {RequestId(2), 0, 6, 2, true}}};

  std::vector<std::string> check() const {
    return plan_check(seqs, {.n_free_blocks = 8, .n_blocks = 9, .block_size = 4},
                      {.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 8}, plan);
  }
};

TEST(Deadlines, TheCheckSeesOneGivenUpThatIsNotLate) {
  Checked c;
  EXPECT_THAT(c.check(), IsEmpty());
  c.plan.run.pop_back();
  c.plan.late = ids({2});
  EXPECT_THAT(c.check(), Contains("request 2: given up, but not late"));
  c.seqs[1].n_timely = 6;  // as many rows as it has pending
  EXPECT_THAT(c.check(), Contains("request 2: given up, but not late"));
  c.seqs[1].n_timely = 5;
  EXPECT_THAT(c.check(), IsEmpty());
}

TEST(Deadlines, TheCheckSeesWorkForOneThatIsLate) {
  Checked c;
  c.seqs[1].n_timely = 5;
  EXPECT_THAT(c.check(), ElementsAre("request 2: late, and left waiting"));
}

TEST(Deadlines, TheCheckSeesOneGivenUpThatRuns) {
  Checked c;
  c.seqs[0].n_timely = 0;
  EXPECT_THAT(c.check(), IsEmpty());
  c.plan.run.erase(c.plan.run.begin());
  c.plan.late = ids({1});
  EXPECT_THAT(c.check(), Contains("request 1: given up, but not late"));
}

}  // namespace
}  // namespace mie
