// Want of memory in a sequence, and in a decision. A program of its own, because it replaces operator new.
#include "core/sched/make_scheduler.h"
#include "core/sequence.h"
#include "tests/fakes/failing_new.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace mie {
namespace {

constexpr TokenId kToken{7};

// 5 prompt tokens, at most 3 generated.
std::shared_ptr<Request> request_of_5() {
  auto request = std::make_shared<Request>();
  request->prompt = {TokenId(1), TokenId(2), TokenId(3), TokenId(4), TokenId(5)};
  request->max_tokens = 3;
  return request;
}

TEST(Sequence, CommitNeverAllocates) {
  BlockPool pool(4);
  Sequence seq(request_of_5(), pool, 4);
  seq.admit();
  ASSERT_TRUE(seq.blocks().append(2));
  const test::FailingNew failing(0);
  seq.commit(5, kToken);
  seq.commit(1, kToken);
  seq.commit(1, kToken);
}

TEST(Sequence, NoMemoryToBeAdmittedChangesNothing) {
  BlockPool pool(4);
  Sequence seq(request_of_5(), pool, 4);
  const int n_allocations =
      test::fail_each_allocation([&] { seq.admit(); }, [&] { EXPECT_EQ(seq.state(), SeqState::kWaiting); });
  EXPECT_GE(n_allocations, 1);
  EXPECT_EQ(seq.state(), SeqState::kRunning);
}

// 256 decode, 4,096 wait, some of which enter and some of which can never fit. The third plan has the memory of the first.
TEST(Scheduler, ADecisionAllocatesNothingOnceItsMemoryIsThere) {
  std::vector<SeqView> seqs;
  for (int i = 0; i < 256 + 4096; ++i) {
    SeqView seq{
        .id = RequestId(static_cast<std::uint64_t>(i)), .running = i < 256, .n_prompt = 40, .n_total = 40, .max_total = 90};
    if (seq.running) {
      seq.n_total = 41 + i % 32;
      seq.n_computed = seq.n_total - 1;
      seq.n_blocks = seq.n_own_blocks = (seq.n_computed + 15) / 16;
    }
    if (!seq.running && i % 512 == 0) seq.max_total = 1 << 20;
    seqs.push_back(seq);
  }
  const StepLimits limits{.max_seqs = 300, .max_tokens = 2048, .max_prefill_chunk = 256};
  for (const auto kind : {SchedulerKind::kStatic, SchedulerKind::kContinuous, SchedulerKind::kChunked}) {
    const auto scheduler = make_scheduler(kind);
    for (const int n_free : {4000, 10}) {
      const KvBudget budget{.n_free_blocks = n_free, .n_blocks = 8000, .block_size = 16};
      const StepPlan first = scheduler->plan(seqs, budget, limits);
      ASSERT_FALSE(first.run.empty());
      StepPlan again = first;
      {
        const test::FailingNew failing(0);
        again = scheduler->plan(seqs, budget, limits, std::move(again));
      }
      EXPECT_EQ(again, first) << name_of(kind);
    }
  }
}

}  // namespace
}  // namespace mie
