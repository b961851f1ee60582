// Every number of a plan, and the order of its lists, is in its digest.
#include "core/sched/plan_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace mie {
namespace {

StepPlan a_plan() {
  return {.evict = {RequestId(7), RequestId(8)},
          .reject = {RequestId(9)},
          .run = {{.id = RequestId(1), .first_position = 4, .n_tokens = 3, .n_new_blocks = 1, .samples = true, .n_drafts = 2},
                  {.id = RequestId(2), .first_position = 0, .n_tokens = 5, .n_new_blocks = 2}}};
}

TEST(PlanDigest, EqualPlansAreEqualAndAnyChangeShows) {
  EXPECT_EQ(plan_digest(a_plan()), plan_digest(a_plan()));
  const std::vector<std::function<void(StepPlan&)>> changes = {
      [](StepPlan& p) { p.evict.pop_back(); },
      [](StepPlan& p) { std::swap(p.evict[0], p.evict[1]); },
      [](StepPlan& p) { std::swap(p.evict, p.reject); },
      [](StepPlan& p) { p.reject.clear(); },
      [](StepPlan& p) { std::swap(p.late, p.reject); },
      [](StepPlan& p) { p.run.pop_back(); },
      [](StepPlan& p) { std::swap(p.run[0], p.run[1]); },
      [](StepPlan& p) { p.run[0].id = RequestId(3); },
      [](StepPlan& p) { ++p.run[0].first_position; },
      [](StepPlan& p) { ++p.run[0].n_tokens; },
      [](StepPlan& p) { ++p.run[0].n_new_blocks; },
      [](StepPlan& p) { p.run[0].samples = false; },
      [](StepPlan& p) { ++p.run[0].n_drafts; },
  };
  std::set<std::uint64_t> digests = {plan_digest(a_plan()), plan_digest({})};
  for (const auto& change : changes) {
    StepPlan plan = a_plan();
    change(plan);
    digests.insert(plan_digest(plan));
  }
  EXPECT_EQ(digests.size(), changes.size() + 2);
}

// FNV-1a of 32 zero bytes, four empty lists, from the definition: the offset basis times the prime to the 32nd, modulo 2^64.
TEST(PlanDigest, OfNoPlan) {
  std::uint64_t expected = 0xcbf29ce484222325U;
  for (int i = 0; i < 32; ++i) expected *= 0x100000001b3U;
  EXPECT_EQ(plan_digest({}), expected);
}

}  // namespace
}  // namespace mie
