// Each invariant, broken by hand in a snapshot that is otherwise right.
#include "core/engine/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace mie::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Block size 4, 6 blocks: request 3 holds blocks 1 and 4, request 5 block 0; 1 was preempted, 6 and 8 are new.
EngineSnapshot right() {
  EngineSnapshot snapshot;
  snapshot.block_size = 4;
  snapshot.n_free_blocks = 3;
  snapshot.n_references = {1, 1, 0, 0, 1, 0};
  const auto running = SeqState::kRunning;
  const auto waiting = SeqState::kWaiting;
  snapshot.running = {{.id = RequestId(3),
                       .state = running,
                       .n_prompt = 5,
                       .n_total = 7,
                       .n_computed = 6,
                       .max_total = 9,
                       .blocks = {BlockId(1), BlockId(4)}},
                      {.id = RequestId(5),
                       .state = running,
                       .n_prompt = 6,
                       .n_total = 6,
                       .n_computed = 4,
                       .max_total = 9,
                       .blocks = {BlockId(0)}}};
  snapshot.waiting = {
      {.id = RequestId(1), .state = waiting, .preempted = true, .n_prompt = 3, .n_total = 6, .n_computed = 0, .max_total = 9},
      {.id = RequestId(6), .state = waiting, .n_prompt = 3, .n_total = 3, .n_computed = 0, .max_total = 9},
      {.id = RequestId(8), .state = waiting, .n_prompt = 2, .n_total = 2, .n_computed = 0, .max_total = 9}};
  snapshot.n_generated_ended = 4;
  snapshot.n_unreleased = 6;
  snapshot.counted_running = 2;
  snapshot.counted_waiting = 3;
  snapshot.counted_waiting_tokens = 11;
  snapshot.counted_pending_tokens = 9;
  return snapshot;
}

TEST(Snapshot, ARightOneBreaksNothing) { EXPECT_THAT(broken_invariants(right()), IsEmpty()); }

TEST(Snapshot, APromptThatIsOnlyScoredRunsUntilItIsComputed) {
  EngineSnapshot snapshot = right();
  snapshot.running[1].max_total = 6;
  EXPECT_THAT(broken_invariants(snapshot), IsEmpty());
  snapshot.running[1].n_computed = 6;
  snapshot.running[1].blocks.push_back(BlockId(2));
  EXPECT_THAT(broken_invariants(snapshot), Contains("request 5 is complete but runs"));
}

TEST(Snapshot, RequestsThatWereNotLookedAtYetMayBeCountedAsWaiting) {
  EngineSnapshot snapshot = right();
  snapshot.counted_waiting += 2;
  snapshot.counted_waiting_tokens += 10;
  EXPECT_THAT(broken_invariants(snapshot), IsEmpty());
}

TEST(Snapshot, EachBrokenInvariantIsNamed) {
  const std::pair<const char*, std::function<void(EngineSnapshot&)>> mutations[] = {
      {"free + ", [](auto& s) { s.n_free_blocks = 2; }},
      {"block 2: 1 references, 0 table entries", [](auto& s) { s.n_references[2] = 1; }},
      {"block 1: 1 references, 2 table entries", [](auto& s) { s.running[1].blocks[0] = BlockId(1); }},
      {"free + 1 cached + ", [](auto& s) { s.n_cached_blocks = 1; }},
      {"request 3: block 4 is shared and not full",
       [](auto& s) {
         s.running[1].blocks[0] = BlockId(4);
         s.n_references = {0, 1, 0, 0, 2, 0};
         s.n_free_blocks = 4;
       }},
      {"request 3: block 4 has more owners than the one before it",
       [](auto& s) {
         s.running[1].blocks[0] = BlockId(4);
         s.n_references = {0, 1, 0, 0, 2, 0};
         s.n_free_blocks = 4;
       }},
      {"request 5: block 6 is not in the pool", [](auto& s) { s.running[1].blocks[0] = BlockId(6); }},
      {"request 3: more tokens computed", [](auto& s) { s.running[0].blocks.pop_back(); }},
      {"request 5: holds a block that no computed token", [](auto& s) { s.running[1].n_computed = 0; }},
      {"request 3: n_computed is outside", [](auto& s) { s.running[0].n_computed = 8; }},
      {"request 3: n_total is outside", [](auto& s) { s.running[0].n_total = 10; }},
      {"request 3 is complete but runs", [](auto& s) { s.running[0].max_total = 7; }},
      {"request 5 runs but is not running", [](auto& s) { s.running[1].state = SeqState::kWaiting; }},
      {"request 6 waits but is not waiting", [](auto& s) { s.waiting[1].state = SeqState::kFinished; }},
      {"request 6 waits and holds blocks", [](auto& s) { s.waiting[1].blocks = {BlockId(2)}; }},
      {"the waiting line", [](auto& s) { std::swap(s.waiting[1], s.waiting[2]); }},
      {"the waiting line", [](auto& s) { std::swap(s.waiting[0], s.waiting[1]); }},
      {"running requests: counted 1, in fact 2", [](auto& s) { s.counted_running = 1; }},
      {"waiting requests: counted 2, in fact 3", [](auto& s) { s.counted_waiting = 2; }},
      {"waiting tokens: counted 12, in fact 11", [](auto& s) { s.counted_waiting_tokens = 12; }},
      {"waiting tokens: counted 10, in fact 11", [](auto& s) { s.counted_waiting_tokens = 10; }},
      {"tokens not settled: counted 8, in fact 9", [](auto& s) { s.counted_pending_tokens = 8; }},
      {"releases owed: counted 4, in fact 5", [](auto& s) { s.n_unreleased = 4; }},
  };
  for (const auto& [line, mutate] : mutations) {
    EngineSnapshot snapshot = right();
    mutate(snapshot);
    EXPECT_THAT(broken_invariants(snapshot), Contains(HasSubstr(line)));
  }
}

}  // namespace
}  // namespace mie::test
