#include "core/sched/step_builder.h"

#include "core/base/ensure.h"
#include "kv/page_layout.h"

#include <algorithm>
#include <string>

namespace mie {
namespace {

bool is_prefill(const SeqView& seq) { return seq.n_pending() >= 1 && !seq.decodes(); }

}  // namespace

StepBuilder::StepBuilder(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits, StepPlan memory)
    : budget_(budget),
      limits_(limits),
      plan_(std::move(memory)),
      n_free_(budget.n_free_blocks),
      n_tokens_left_(limits.max_tokens) {
  plan_.clear();
  ENSURE(limits.max_seqs >= 1 && limits.max_tokens >= 1 && limits.max_prefill_chunk >= 1, "a step that can hold nothing");
  ENSURE(budget.block_size >= 1, "blocks of " + std::to_string(budget.block_size) + " tokens");
  const auto first_waiting = std::find_if(seqs.begin(), seqs.end(), [](const SeqView& seq) { return !seq.running; });
  ENSURE(std::none_of(first_waiting, seqs.end(), [](const SeqView& seq) { return seq.running; }), "waiting before running");
  running_ = {seqs.begin(), first_waiting};
  waiting_ = {first_waiting, seqs.end()};
  n_kept_ = running_.size();
  n_unclaimed_ = budget.n_free_blocks;
  for (const SeqView& seq : running_) n_unclaimed_ -= claim_blocks(seq, Claim::kNextBlock);
  for (const SeqView& seq : waiting_) {
    if (never_fits(seq)) {
      plan_.reject.push_back(seq.id);
    } else if (seq.late()) {
      plan_.late.push_back(seq.id);
    }
  }
}

void StepBuilder::decode() {
  while (decode_blocks() > n_free_) evict_youngest();
  for (const SeqView& seq : kept()) {
    if (n_tokens_left_ == 0 || n_rows() == limits_.max_seqs) return;
    if (seq.decodes()) schedule(seq, 1);
  }
}

void StepBuilder::prefill(int max_chunk) {
  for (std::size_t i = 0; i < n_kept_; ++i) {
    const SeqView& seq = running_[i];
    if (n_tokens_left_ == 0 || n_rows() == limits_.max_seqs) return;
    if (!is_prefill(seq) || !make_room_for_one_token(i)) continue;
    const std::int64_t n_slots = (std::int64_t{seq.n_blocks} + n_free_) * budget_.block_size - seq.n_computed;
    const int n_tokens = std::min({seq.n_pending(), max_chunk, n_tokens_left_});
    schedule(seq, static_cast<int>(std::min<std::int64_t>(n_tokens, n_slots)));
  }
}

void StepBuilder::speculate() {
  if (!plan_.evict.empty()) return;
  auto row = plan_.run.begin();
  for (const SeqView& seq : kept()) {  // rows of decode() stand in this order
    const int n_most = std::min(n_tokens_left_, limits_.draft_rows - (limits_.max_tokens - n_tokens_left_));
    if (row == plan_.run.end() || n_most <= 0) return;
    if (row->id != seq.id) continue;
    if (seq.decodes()) add_drafts(seq, *row, n_most);
    ++row;
  }
}

const SeqView* StepBuilder::next_admissible(Claim claim) {
  if (!plan_.evict.empty()) return nullptr;
  const auto passed_over = [&](const SeqView& seq) {
    const bool may_wait = claim != Claim::kLifetime || taken_blocks(seq, claim) > n_unclaimed_;
    return never_fits(seq) || seq.late() || (seq.held && may_wait);
  };
  while (next_waiting_ < waiting_.size() && passed_over(waiting_[next_waiting_])) ++next_waiting_;
  if (next_waiting_ == waiting_.size()) return nullptr;
  const bool seat_free = static_cast<int>(n_kept_) + n_admitted_ < limits_.max_seqs;
  const SeqView& head = waiting_[next_waiting_];
  return seat_free && n_tokens_left_ > 0 && taken_blocks(head, claim) <= n_unclaimed_ ? &head : nullptr;
}

void StepBuilder::admit(const SeqView& seq, int n_tokens, Claim claim) {
  ENSURE(&seq == &waiting_[next_waiting_], "admitted out of turn");
  n_free_ -= seq.n_own_blocks;
  schedule(seq, n_tokens);
  n_unclaimed_ -= taken_blocks(seq, claim);
  ++next_waiting_;
  ++n_admitted_;
}

bool StepBuilder::never_fits(const SeqView& seq) const {
  return blocks_for(seq.max_total, budget_.block_size) > budget_.n_blocks;
}

int StepBuilder::new_blocks(const SeqView& seq, int n_tokens) const {
  return std::max(0, blocks_for(seq.n_computed + n_tokens, budget_.block_size) - seq.n_blocks);
}

int StepBuilder::claim_blocks(const SeqView& seq, Claim claim) const {
  const bool whole = claim == Claim::kLifetime || seq.max_total - seq.n_total <= budget_.block_size;
  return std::max(0, blocks_for(whole ? seq.max_total : seq.n_total + budget_.block_size, budget_.block_size) - seq.n_blocks);
}

// Of a waiting sequence: what it finds and nobody else holds counts as free until it comes.
int StepBuilder::taken_blocks(const SeqView& seq, Claim claim) const { return seq.n_own_blocks + claim_blocks(seq, claim); }

int StepBuilder::decode_blocks() const {
  int n_rows_left = std::min(n_tokens_left_, limits_.max_seqs - n_rows());
  int n_blocks = 0;
  for (const SeqView& seq : kept()) {
    if (n_rows_left == 0) break;
    if (!seq.decodes()) continue;
    n_blocks += new_blocks(seq, 1);
    --n_rows_left;
  }
  return n_blocks;
}

bool StepBuilder::make_room_for_one_token(std::size_t running_index) {
  const int n_needed = new_blocks(running_[running_index], 1);
  std::int64_t n_within_reach = n_free_;
  for (const SeqView& younger : kept().subspan(running_index + 1)) n_within_reach += younger.n_own_blocks;
  if (n_needed > n_within_reach) return false;  // evicting would not help
  while (n_needed > n_free_) evict_youngest();
  return true;
}

void StepBuilder::evict_youngest() {
  const SeqView& seq = running_[--n_kept_];
  plan_.evict.push_back(seq.id);
  n_free_ += seq.n_own_blocks;
  const auto row = std::find_if(plan_.run.begin(), plan_.run.end(), [&](const Scheduled& r) { return r.id == seq.id; });
  if (row == plan_.run.end()) return;
  n_free_ += row->n_new_blocks;
  n_tokens_left_ += row->n_tokens;
  plan_.run.erase(row);
}

void StepBuilder::schedule(const SeqView& seq, int n_tokens) {
  const int n_new_blocks = new_blocks(seq, n_tokens);
  ENSURE(n_tokens >= 1 && n_tokens <= seq.n_pending() && n_tokens <= n_tokens_left_, "rows that are not pending");
  ENSURE(n_new_blocks <= n_free_, "blocks that are not free");
  plan_.run.push_back({.id = seq.id,
                       .first_position = seq.n_computed,
                       .n_tokens = n_tokens,
                       .n_new_blocks = n_new_blocks,
                       .samples = seq.samples_after(n_tokens)});
  n_free_ -= n_new_blocks;
  n_tokens_left_ -= n_tokens;
}

void StepBuilder::add_drafts(const SeqView& seq, Scheduled& row, int n_most) {
  const int n_claimed = claim_blocks(seq, Claim::kNextBlock) - row.n_new_blocks;
  const std::int64_t n_spare = std::min<std::int64_t>(n_free_, std::max<std::int64_t>(0, n_unclaimed_) + n_claimed);
  const std::int64_t n_slots = (seq.n_blocks + row.n_new_blocks + n_spare) * budget_.block_size - seq.n_computed - 1;
  const auto n_fitting = static_cast<int>(std::min<std::int64_t>(n_slots, n_most));
  row.n_drafts = std::max(0, std::min({seq.n_drafts, n_fitting, limits_.max_prefill_chunk - 1}));
  const int n_more_blocks = new_blocks(seq, 1 + row.n_drafts) - row.n_new_blocks;
  row.n_tokens += row.n_drafts;
  row.n_new_blocks += n_more_blocks;
  n_free_ -= n_more_blocks;
  n_unclaimed_ -= std::max(0, n_more_blocks - n_claimed);
  n_tokens_left_ -= row.n_drafts;
}

}  // namespace mie
