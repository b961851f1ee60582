// Every scheduler on states that no engine would reach as well as on those it does: any progress, any block count that
// holds the computed tokens, any limits. plan_check must have nothing to say, and the same input must give the same plan.
#include "core/sched/make_scheduler.h"
#include "core/sched/plan_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <vector>

namespace mie {
namespace {

struct State {
  std::vector<SeqView> seqs;
  KvBudget budget;
  StepLimits limits;
};

class RandomStates {
 public:
  explicit RandomStates(unsigned seed) : random_(seed) {}

  State next() {
    State state;
    state.budget.block_size = between(0, 3) == 0 ? 64 : between(1, 9);
    state.budget.n_blocks = between(1, 24);
    state.limits = {.max_seqs = between(1, 6), .max_tokens = between(1, 24), .max_prefill_chunk = between(1, 12)};
    state.limits.max_prefill_chunk = std::min(state.limits.max_prefill_chunk, state.limits.max_tokens);
    state.limits.draft_rows = between(0, state.limits.max_tokens);
    int n_left = state.budget.n_blocks;
    std::uint64_t id = 0;
    for (int n = between(0, state.limits.max_seqs + 1); n > 0; --n) add_running(state, ++id, n_left);
    for (int n = between(0, 5); n > 0; --n) state.seqs.push_back(waiting(state.budget, ++id));
    // Most often every block is accounted for; sometimes some are missing, as if pinned by a cache.
    state.budget.n_free_blocks = between(0, 3) == 0 ? between(0, n_left) : n_left;
    for (SeqView& seq : state.seqs) find_prefix(state, seq);
    for (SeqView& seq : state.seqs) {
      if (between(0, 4) == 0) seq.n_timely = between(0, 2 * seq.n_pending());  // only of waiting ones it means something
    }
    return state;
  }

 private:
  int between(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  void add_running(State& state, std::uint64_t id, int& n_left) {
    const int capacity = state.budget.n_blocks * state.budget.block_size;
    SeqView seq{.id = RequestId(id), .running = true};
    seq.max_total = between(2, std::max(2, capacity));
    seq.n_total = between(1, seq.max_total - 1);
    seq.n_prompt = between(1, seq.n_total);
    if (between(0, 7) == 0) seq.max_total = seq.n_prompt = seq.n_total;  // a prompt that is only scored
    seq.n_computed = between(0, 1) == 0 ? seq.n_total - 1 : between(0, seq.n_total - 1);
    seq.n_blocks = (seq.n_computed + state.budget.block_size - 1) / state.budget.block_size;
    if (seq.decodes()) seq.n_drafts = between(0, std::min(4, seq.max_total - seq.n_total - 1));
    if (seq.n_blocks > n_left || seq.max_total > capacity) return;
    seq.n_own_blocks = between(0, 3) == 0 ? between(0, seq.n_blocks) : seq.n_blocks;  // others share the front
    n_left -= seq.n_own_blocks;
    state.seqs.push_back(seq);
  }

  SeqView waiting(const KvBudget& budget, std::uint64_t id) {
    const int capacity = budget.n_blocks * budget.block_size;
    SeqView seq{.id = RequestId(id)};
    seq.n_prompt = between(1, std::max(1, capacity / between(1, 4)));
    seq.n_total = seq.n_prompt + (between(0, 3) == 0 ? between(1, 8) : 0);  // preempted
    seq.max_total = seq.n_total + between(1, 1 + capacity / between(1, 8));
    if (between(0, 7) == 0) seq.max_total = seq.n_total = seq.n_prompt;  // a prompt that is only scored
    return seq;
  }

  // Sometimes a waiting sequence finds part of its tokens computed, in blocks that are used or cached, or another one computes
  // them, which stands before it.
  void find_prefix(const State& state, SeqView& seq) {
    if (seq.running || between(0, 2) > 0) return;
    seq.n_blocks = between(0, std::min((seq.n_total - 1) / state.budget.block_size, state.budget.n_blocks));
    seq.n_own_blocks = between(0, std::min(seq.n_blocks, state.budget.n_free_blocks));
    seq.n_computed = seq.n_blocks * state.budget.block_size;
    seq.n_computed += between(0, std::min(seq.n_total - 1 - seq.n_computed, state.budget.block_size - 1));
    seq.held = &seq != state.seqs.data() && between(0, 3) == 0;
  }

  std::mt19937 random_;
};

std::string text_of(const State& state) {
  std::ostringstream out;
  out << "blocks " << state.budget.n_free_blocks << " free of " << state.budget.n_blocks << " of " << state.budget.block_size
      << " tokens; limits " << state.limits.max_seqs << " " << state.limits.max_tokens << " " << state.limits.max_prefill_chunk
      << " drafts up to " << state.limits.draft_rows;
  for (const SeqView& s : state.seqs)
    out << "\n  " << s.id << (s.running ? " runs" : " waits") << " prompt " << s.n_prompt << " total " << s.n_total
        << " computed " << s.n_computed << " blocks " << s.n_blocks << " own " << s.n_own_blocks << (s.held ? " held" : "")
        << " max " << s.max_total << " drafts " << s.n_drafts << " timely " << s.n_timely;
  return out.str();
}

class RandomStatesTest : public ::testing::TestWithParam<SchedulerKind> {};

TEST_P(RandomStatesTest, EveryPlanKeepsEveryPromise) {
  RandomStates states(1 + static_cast<unsigned>(GetParam()));
  const auto scheduler = make_scheduler(GetParam());
  int n_evicting = 0, n_rejecting = 0, n_late = 0, n_running = 0;
  for (int i = 0; i < 50'000; ++i) {
    const State state = states.next();
    const StepPlan plan = scheduler->plan(state.seqs, state.budget, state.limits);
    const auto broken = plan_check(state.seqs, state.budget, limits_for(GetParam(), state.limits), plan);
    ASSERT_TRUE(broken.empty()) << broken.front() << "\nstate " << i << ": " << text_of(state);
    ASSERT_EQ(plan, scheduler->plan(state.seqs, state.budget, state.limits));
    n_evicting += plan.evict.empty() ? 0 : 1;
    n_rejecting += plan.reject.empty() ? 0 : 1;
    n_late += plan.late.empty() ? 0 : 1;
    n_running += plan.run.empty() ? 0 : 1;
  }
  EXPECT_GT(n_evicting, 100) << "the states must bring pressure";
  EXPECT_GT(n_rejecting, 100);
  EXPECT_GT(n_late, 100);
  EXPECT_GT(n_running, 25'000);
}

INSTANTIATE_TEST_SUITE_P(Schedulers, RandomStatesTest,
                         ::testing::Values(SchedulerKind::kSerial, SchedulerKind::kStatic, SchedulerKind::kContinuous,
                                           SchedulerKind::kChunked),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace mie
