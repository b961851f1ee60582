// Fills one StepPlan and keeps its budgets: rows, sequences, blocks. A policy is the order in which it calls these steps.
// A local of Scheduler::plan; the views outlive it. Copies are independent. Any thread, one at a time.
#pragma once

#include "core/sched/scheduler.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mie {

class StepBuilder {
 public:
  // How many blocks must be free beyond what running sequences still need before a newcomer is let in.
  enum class Claim {
    kNextBlock,  // all its tokens and a block's length more: nobody is evicted within so many steps because it came
    kLifetime,   // max_total: it will never be evicted
  };

  // Rejects the waiting sequences that no state of the pool can hold, and gives up those that are late.
  // REQUIRES: running views before waiting ones; limits, block_size ≥ 1.
  StepBuilder(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits, StepPlan memory = {});

  // A row for every running sequence whose prompt is computed, oldest first, as far as the row budgets reach. Evicts the
  // youngest running sequence, whatever it does, until the blocks suffice.
  void decode();

  // Rows for the running sequences whose prompt is not computed, oldest first, at most `max_chunk` each. Short of blocks, a
  // chunk shrinks to what is free; where not one token fits, younger sequences are evicted, youngest first, and their rows
  // with them.
  void prefill(int max_chunk);

  // Adds drafts to the rows of decode(), oldest first, as far as the step stays small and the blocks are nobody's claim.
  // None after an eviction. The last step of a policy.
  void speculate();

  // The head of the line if it may enter now, else null: nobody behind it is looked at, except past those that are held
  // (kLifetime takes them where they fit: its batch fills once). Never after an eviction: those evicted are the head of the
  // line then, and there is no room.
  [[nodiscard]] const SeqView* next_admissible(Claim claim);

  // Takes the sequence that next_admissible(claim) gave. REQUIRES: 1 ≤ n_tokens ≤ n_pending() and n_tokens_left().
  void admit(const SeqView& seq, int n_tokens, Claim claim);

  [[nodiscard]] bool anything_running() const { return !running_.empty(); }
  [[nodiscard]] bool empty() const { return plan_.run.empty(); }
  [[nodiscard]] int n_rows() const { return static_cast<int>(plan_.run.size()); }
  [[nodiscard]] int n_tokens_left() const { return n_tokens_left_; }

  [[nodiscard]] StepPlan take() { return std::move(plan_); }

 private:
  [[nodiscard]] std::span<const SeqView> kept() const { return running_.first(n_kept_); }
  [[nodiscard]] bool never_fits(const SeqView& seq) const;
  [[nodiscard]] int new_blocks(const SeqView& seq, int n_tokens) const;
  [[nodiscard]] int claim_blocks(const SeqView& seq, Claim claim) const;
  [[nodiscard]] int taken_blocks(const SeqView& seq, Claim claim) const;
  [[nodiscard]] int decode_blocks() const;
  [[nodiscard]] bool make_room_for_one_token(std::size_t running_index);
  void evict_youngest();
  void schedule(const SeqView& seq, int n_tokens);
  void add_drafts(const SeqView& seq, Scheduled& row, int n_most);

  std::span<const SeqView> running_, waiting_;
  KvBudget budget_;
  StepLimits limits_;
  StepPlan plan_;
  std::size_t n_kept_ = 0;        // running_[0, n_kept_) are not evicted
  std::size_t next_waiting_ = 0;  // waiting_[0, next_waiting_) are admitted or rejected
  int n_admitted_ = 0;
  int n_free_ = 0;                // blocks free after the plan so far
  int n_tokens_left_ = 0;         // rows of the step still to give
  std::int64_t n_unclaimed_ = 0;  // blocks free when all running and admitted sequences have taken what they claim
};

}  // namespace mie
