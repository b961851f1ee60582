// The promises of every scheduler as a validator: it takes what a scheduler took and what it answered, and lists what is
// broken. Shares no code with the schedulers. Run by every scheduler test, the simulator, the fuzzer and a paranoid engine.
// Pure function; any thread.
//
//   budgets    rows ≤ max_tokens and ≤ max_prefill_chunk a sequence, sequences ≤ max_seqs, blocks ≤ free + evicted
//   identity   nobody twice, nobody unknown, evicted ones run before, rejected ones wait
//   exactness  rows start at n_computed, end within n_total, sample exactly at n_total, take exactly the blocks they lack
//   drafts     only behind a row that samples and decodes, only proposed ones, only in small steps, and never with an eviction
//   order      newcomers are the head of the line in order, held ones apart; eviction takes the youngest first
//   pressure   eviction only where one sequence less evicted would not do, and never together with a newcomer
//   headroom   newcomers leave the blocks free that all who run may need for a block's length of tokens more
//   rejection  exactly the waiting ones that an empty pool could not hold
//   deadlines  given up are exactly the waiting ones that are late, besides those that are rejected
//   progress   if anything but a held one can run, something runs
//
// That nobody starves is a property of a life, not of one plan: tests/sched/life_test.cpp.
#pragma once

#include "core/sched/scheduler.h"

#include <span>
#include <string>
#include <vector>

namespace mie {

// Empty: all promises are kept. `limits` as the policy keeps them (limits_for in make_scheduler.h). O(n).
[[nodiscard]] std::vector<std::string> plan_check(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits,
                                                  const StepPlan& plan);

}  // namespace mie
