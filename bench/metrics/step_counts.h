// What the engine's steps amount to during a load, counted exactly from what each step ran: the work behind a time, which no
// machine changes. Values and pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mie::bench {

// One committed step. A line of steps.jsonl is one of these.
struct StepLine {
  std::int64_t number = 0;    // as the engine counts
  std::int64_t begin_ns = 0;  // of the run's clock
  std::int64_t plan_ns = 0, run_ns = 0, commit_ns = 0;
  int n_rows = 0;                                                    // tokens in the batch
  int n_seqs = 0;                                                    // sequences in it …
  int n_decoding = 0;                                                // … and of them, those past their prompt
  int n_prefill = 0, n_recompute = 0, n_decode = 0, n_rejected = 0;  // tokens by kind; rejected: drafts computed in vain
  std::int64_t context = 0;  // sum over the rows of the tokens that each attends to, itself included
  int n_blocks_taken = 0, n_blocks_used = 0, n_blocks_free = 0;
  int n_evicted = 0;  // requests
};

// Of `n` rows from position `first` on.
[[nodiscard]] constexpr std::int64_t context_of(std::int64_t first, std::int64_t n) { return n * first + n * (n + 1) / 2; }

struct StepCounts {
  std::int64_t steps = 0;
  std::int64_t decode_forwards = 0, prefill_forwards = 0;  // steps with a token of the kind; a step may be both
  std::int64_t decode_rows = 0, prefill_rows = 0;          // tokens
  std::int64_t wasted_rows = 0;                            // drafts in vain, and tokens computed again after a preemption
  std::int64_t padding_rows = 0;                           // batches are ragged: there are none
  std::int64_t preemptions = 0;

  void add(const StepLine& step);
  [[nodiscard]] double occupancy() const;  // rows of a decode forward, mean; 0: there was none
};

// Of one load. Counts are of all its steps; lines are kept up to a limit.
struct LoadSteps {
  static constexpr std::size_t kMostLines = 200'000;  // some 50 MB of text

  StepCounts counts{};
  std::vector<StepLine> lines{};
  std::int64_t n_lost = 0;  // steps that nobody saw: the counts are too small by them

  void add(const StepLine& step);
};

}  // namespace mie::bench
