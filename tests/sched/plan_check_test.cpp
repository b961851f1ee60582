// The validator must see every broken promise: each test breaks one in a plan that is right otherwise.
#include "core/sched/plan_check.h"

#include "tests/sched/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace mie {
namespace {

using test::ids;
using test::running;
using test::waiting;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Blocks of 4 tokens, 15 of them, 9 free: as many as the four claim. 1 decodes at a block bound, 2 prefills, 3 and 4 wait, 5
// can never fit.
struct Case {
  std::vector<SeqView> seqs{running(1, {.prompt = 3, .total = 9, .computed = 8, .blocks = 2, .max_total = 16}),
                            running(2, {.prompt = 20, .total = 20, .computed = 16, .blocks = 4, .max_total = 24}),
                            waiting(3, 6, 12), waiting(4, 2, 8), waiting(5, 2, 61)};
  KvBudget budget{.n_free_blocks = 9, .n_blocks = 15, .block_size = 4};
  StepLimits limits{.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 8};
  StepPlan plan{.evict = {},
                .reject = ids({5}),
                .run = {{RequestId(1), 8, 1, 1, true},
                        {RequestId(2), 16, 4, 1, true},
                        {RequestId(3), 0, 6, 2, true},
                        {RequestId(4), 0, 2, 1, true}}};

  std::vector<std::string> check() const { return plan_check(seqs, budget, limits, plan); }
};

// The same without newcomers and without free blocks: 2 has been evicted for 1.
struct EvictingCase : Case {
  EvictingCase() {
    budget.n_free_blocks = 0;
    budget.n_blocks = 6;
    seqs.resize(2);
    plan = {.evict = ids({2}), .reject = {}, .run = {{RequestId(1), 8, 1, 1, true}}};
  }
};

TEST(PlanCheck, ARightPlanBreaksNothing) {
  EXPECT_THAT(Case().check(), IsEmpty());
  EXPECT_THAT(EvictingCase().check(), IsEmpty());
  EXPECT_THAT(plan_check({}, Case().budget, Case().limits, {}), IsEmpty());
}

TEST(PlanCheck, SeesAnUnknownRequest) {
  Case c;
  c.plan.run.push_back({RequestId(77), 0, 1, 1, true});
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 77: unknown")));
}

TEST(PlanCheck, SeesARequestTwice) {
  Case twice;
  twice.plan.run.push_back(twice.plan.run.front());
  EXPECT_THAT(twice.check(), Contains(HasSubstr("request 1: named twice")));
  Case both;
  both.plan.evict = ids({2});
  EXPECT_THAT(both.check(), Contains(HasSubstr("request 2: named twice")));
}

TEST(PlanCheck, SeesAWrongFirstPosition) {
  Case c;
  c.plan.run[1].first_position = 15;
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 2: starts at 15, computed are 16")));
}

TEST(PlanCheck, SeesRowsThatAreNotPending) {
  Case more;
  more.plan.run[3].n_tokens = 3;
  EXPECT_THAT(more.check(), Contains(HasSubstr("request 4: 3 rows, pending are 2")));
  Case none;
  none.plan.run[3].n_tokens = 0;
  EXPECT_THAT(none.check(), Contains(HasSubstr("request 4: 0 rows")));
}

TEST(PlanCheck, SeesAChunkThatIsTooLong) {
  Case c;
  c.limits.max_prefill_chunk = 5;
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 3: a chunk of 6 rows")));
}

TEST(PlanCheck, SeesWrongBlockCounts) {
  for (const int n : {0, 2}) {
    Case c;
    c.plan.run[0].n_new_blocks = n;
    EXPECT_THAT(c.check(), Contains(HasSubstr("request 1: takes " + std::to_string(n) + " blocks, lacks 1")));
  }
}

TEST(PlanCheck, SeesAWrongSamplesFlag) {
  Case missing;
  missing.plan.run[0].samples = false;
  EXPECT_THAT(missing.check(), Contains(HasSubstr("request 1: samples")));
  Case early;
  early.plan.run[1] = {RequestId(2), 16, 3, 1, true};
  EXPECT_THAT(early.check(), Contains(HasSubstr("request 2: samples")));
}

TEST(PlanCheck, SeesASampleThatNobodyAskedFor) {
  Case c;
  c.seqs[3].max_total = 2;  // its prompt
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 4: samples")));
  c.plan.run[3].samples = false;
  EXPECT_THAT(c.check(), IsEmpty());
}

TEST(PlanCheck, SeesTheRowBudgetOverrun) {
  Case c;
  c.limits.max_tokens = 12;
  EXPECT_THAT(c.check(), Contains(HasSubstr("13 rows in the step")));
  c.limits.max_tokens = 13;
  EXPECT_THAT(c.check(), IsEmpty());
}

TEST(PlanCheck, SeesTheSequenceCapOverrun) {
  Case c;
  c.limits.max_seqs = 3;
  EXPECT_THAT(c.check(), Contains(HasSubstr("4 sequences in the step")));
  // A running sequence without a row keeps its seat.
  c.plan.run.erase(c.plan.run.begin());
  EXPECT_THAT(c.check(), Contains(HasSubstr("4 sequences active")));
}

TEST(PlanCheck, SeesTheBlockBudgetOverrun) {
  Case c;
  c.budget.n_free_blocks = 4;
  EXPECT_THAT(c.check(), Contains(HasSubstr("takes 5 blocks of 4")));
  c.budget.n_free_blocks = 5;
  EXPECT_THAT(c.check(), Not(Contains(HasSubstr("takes"))));
}

TEST(PlanCheck, SeesNewcomersThatLeaveNoHeadroom) {
  Case c;
  c.budget.n_free_blocks = 8;
  EXPECT_THAT(c.check(), ElementsAre(HasSubstr("newcomers leave 1 blocks too few")));
}

// 4 finds a block that nobody holds: it lacks one less, and the free ones are one less.
TEST(PlanCheck, CountsWhatANewcomerFinds) {
  Case c;
  c.seqs[3] = waiting(4, 6, 8);
  c.seqs[3].n_computed = 4;
  c.seqs[3].n_blocks = c.seqs[3].n_own_blocks = 1;
  c.plan.run[3] = {RequestId(4), 4, 2, 1, true};
  EXPECT_THAT(c.check(), IsEmpty());
  c.budget.n_free_blocks = 5;
  EXPECT_THAT(c.check(), Contains(HasSubstr("takes 6 blocks of 5")));
  c.plan.run[3].first_position = 0;
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 4: starts at 0, computed are 4")));
}

TEST(PlanCheck, CountsOnlyWhatAnEvictionFrees) {
  EvictingCase c;
  c.seqs[1].n_own_blocks = 0;
  EXPECT_THAT(c.check(), Contains(HasSubstr("takes 1 blocks of 0")));
}

TEST(PlanCheck, PassingOneThatIsHeldIsNotOvertaking) {
  Case c;
  c.plan.run.erase(c.plan.run.begin() + 2);
  c.seqs[2].held = true;
  EXPECT_THAT(c.check(), IsEmpty());
}

TEST(PlanCheck, SeesAnEvictionThatIsNotTheYoungest) {
  EvictingCase c;
  c.plan = {.evict = ids({1}), .reject = {}, .run = {{RequestId(2), 16, 4, 1, true}}};
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 1: evicted, but is not the youngest")));
}

TEST(PlanCheck, SeesAnEvictionOutOfOrder) {
  EvictingCase c;
  c.plan = {.evict = ids({1, 2}), .reject = {}, .run = {}};
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 1: evicted, but is not the youngest")));
}

TEST(PlanCheck, SeesAnEvictionOfSomeoneWaiting) {
  Case c;
  c.plan.run.pop_back();
  c.plan.evict = ids({4});
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 4: evicted, but is not the youngest")));
}

TEST(PlanCheck, SeesAnEvictionWithoutNeed) {
  EvictingCase c;
  c.budget.n_free_blocks = 2;  // enough for both to go on
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 2: evicted without need")));
  c.budget.n_free_blocks = 1;
  EXPECT_THAT(c.check(), IsEmpty());
}

TEST(PlanCheck, SeesAnAdmissionBesideAnEviction) {
  EvictingCase c;
  c.seqs.push_back(waiting(3, 2, 4));
  c.plan.run.push_back({RequestId(3), 0, 2, 1, true});
  EXPECT_THAT(c.check(), Contains(HasSubstr("admits and evicts")));
}

TEST(PlanCheck, SeesARejectionOfWhatCouldFit) {
  Case c;
  c.plan.run.pop_back();
  c.plan.reject = ids({4, 5});
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 4: rejected, but could fit")));
}

TEST(PlanCheck, SeesTheRejectionOfSomeoneRunning) {
  Case c;
  c.plan.run.erase(c.plan.run.begin() + 1);
  c.plan.reject = ids({2, 5});
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 2: rejected, but could fit")));
}

TEST(PlanCheck, SeesAnImpossibleRequestLeftWaiting) {
  Case c;
  c.plan.reject.clear();
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 5: can never fit")));
}

TEST(PlanCheck, SeesOvertaking) {
  Case c;
  c.plan.run.erase(c.plan.run.begin() + 2);
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 4: overtakes")));
}

TEST(PlanCheck, PassingARejectedOneIsNotOvertaking) {
  Case c;
  std::swap(c.seqs[2], c.seqs[4]);  // 5 stands before 4 and 3
  std::swap(c.plan.run[2], c.plan.run[3]);
  EXPECT_THAT(c.check(), IsEmpty());
}

TEST(PlanCheck, SeesNewcomersOutOfOrder) {
  Case swapped;
  std::swap(swapped.plan.run[2], swapped.plan.run[3]);
  EXPECT_THAT(swapped.check(), Contains(HasSubstr("row is out of order")));
  Case before_running;
  std::swap(before_running.plan.run[0], before_running.plan.run[2]);
  EXPECT_THAT(before_running.check(), Contains(HasSubstr("row is out of order")));
}

TEST(PlanCheck, SeesIdlenessWithSomeoneRunning) {
  Case c;
  c.plan.run.clear();
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 1: could run")));
}

TEST(PlanCheck, SeesIdlenessWithSomeoneWhoCouldEnter) {
  Case c;
  c.seqs.erase(c.seqs.begin(), c.seqs.begin() + 2);
  c.plan.run.clear();
  c.budget.n_free_blocks = 3;
  EXPECT_THAT(c.check(), Contains(HasSubstr("request 3: could run")));
  c.budget.n_free_blocks = 2;  // blocks are missing: a leak, not the scheduler's
  EXPECT_THAT(c.check(), IsEmpty());
}

// 1 decodes and has two drafts of three verified, for which it takes its third block; 2 decodes as well.
struct DraftCase : Case {
  DraftCase() {
    seqs = {test::drafting(seqs[0], 3), running(2, {.prompt = 3, .total = 9, .computed = 8, .blocks = 3, .max_total = 16})};
    limits.draft_rows = 4;
    plan = {.evict = {}, .reject = {}, .run = {{RequestId(1), 8, 3, 1, true, 2}, {RequestId(2), 8, 1, 0, true}}};
  }
};

TEST(PlanCheck, SeesWrongDrafts) {
  EXPECT_THAT(DraftCase().check(), IsEmpty());
  DraftCase unasked;
  unasked.plan.run[1] = {RequestId(2), 8, 2, 0, true, 1};
  unasked.limits.draft_rows = 5;
  EXPECT_THAT(unasked.check(), Contains(HasSubstr("request 2: 1 drafts of 0")));
  DraftCase many;
  many.limits.draft_rows = 3;
  EXPECT_THAT(many.check(), Contains(HasSubstr("4 rows in a step with drafts")));
  DraftCase negative;
  negative.plan.run[0] = {RequestId(1), 8, 1, 1, true, -1};
  EXPECT_THAT(negative.check(), Contains(HasSubstr("request 1: -1 drafts of 3")));
  DraftCase prefills;
  prefills.seqs[0].n_prompt = 9;
  EXPECT_THAT(prefills.check(), Contains(HasSubstr("request 1: drafts, but does not decode")));
  DraftCase evicts;
  evicts.plan.evict = ids({2});
  evicts.plan.run.pop_back();
  EXPECT_THAT(evicts.check(), Contains(HasSubstr("drafts and an eviction in one step")));
}

}  // namespace
}  // namespace mie
