// One request's progress through the engine: its tokens, how many of them are in the KV cache, and the blocks they are in.
// Owned by the engine; the pool outlives it. Engine thread only.
//
//             admit()              finish()
//   kWaiting ─────────→ kRunning ───────────→ kFinished
//      ↑  └─────────────────│──────finish()──────↑
//      └─────preempt()──────┘     commit() stays in kRunning
//
// There is no "prefilling" or "decoding" state: both are n_pending() > 0. Tokens are never removed. Drafts are guesses of what
// follows the last token; they are not tokens before accept(), and gone after the next change of the sequence. A call that
// the state does not allow is an InvariantError and changes nothing.
#pragma once

#include "core/base/id.h"
#include "core/finish.h"
#include "core/request.h"
#include "core/sched/scheduler.h"
#include "kv/block_pool.h"
#include "kv/block_table.h"
#include "kv/page_layout.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mie {

enum class SeqState { kWaiting, kRunning, kFinished };

class Sequence {
 public:
  // REQUIRES: a prompt of at least one token, max_tokens ≥ 1, or 0 for a request that wants prompt logits.
  Sequence(std::shared_ptr<const Request> request, BlockPool& pool, int block_size);

  [[nodiscard]] const Request& request() const { return *request_; }
  [[nodiscard]] RequestId id() const { return request_->id; }
  [[nodiscard]] SeqState state() const { return state_; }
  [[nodiscard]] std::optional<FinishReason> finish_reason() const { return finish_reason_; }

  // Valid until the next admit(), draft() or commit().
  [[nodiscard]] std::span<const TokenId> tokens() const { return with_drafts(0); }  // prompt, then generated
  [[nodiscard]] std::span<const TokenId> with_drafts(int n) const {                 // … and the first n drafts
    return std::span(tokens_).first(static_cast<std::size_t>(n_total_) + static_cast<std::size_t>(n));
  }
  [[nodiscard]] std::span<const TokenId> prompt() const { return request_->prompt; }
  [[nodiscard]] std::span<const TokenId> generated() const { return tokens().subspan(request_->prompt.size()); }

  [[nodiscard]] int n_prompt() const { return static_cast<int>(request_->prompt.size()); }
  [[nodiscard]] int n_total() const { return n_total_; }
  [[nodiscard]] int n_drafts() const { return static_cast<int>(tokens_.size()) - n_total_; }
  [[nodiscard]] int n_generated() const { return n_total() - n_prompt(); }
  [[nodiscard]] int n_computed() const { return n_computed_; }             // tokens whose K,V are cached
  [[nodiscard]] int n_pending() const { return n_total() - n_computed_; }  // 0: all is done, no token was asked for
  [[nodiscard]] int max_total() const { return n_prompt() + request_->max_tokens; }

  // For the step's reservation, which hands blocks over before commit() counts the tokens in them.
  [[nodiscard]] BlockTable& blocks() { return blocks_; }
  [[nodiscard]] const BlockTable& blocks() const { return blocks_; }

  // What the scheduler sees. REQUIRES: not finished.
  [[nodiscard]] SeqView view() const;

  // kWaiting → kRunning. Makes room for max_total() tokens and their blocks, so that neither needs memory after the model ran.
  // `found`: full blocks with the K,V of its first tokens, which it shares. `n_copied`: of so many tokens behind them the step
  // copies the K,V into the first block that it takes. At least one token stays pending.
  void admit(std::span<const BlockId> found = {}, int n_copied = 0);

  // The next `n_tokens` pending tokens are in the cache. `sampled`: the token that follows the last one, given exactly when
  // the step reached n_total() and that is below max_total(). REQUIRES: kRunning; 1 ≤ n_tokens ≤ n_pending(); blocks for them;
  // below max_total().
  void commit(int n_tokens, std::optional<TokenId> sampled);

  // Replaces the drafts. REQUIRES: kRunning, one token pending, and room for the token that follows the last draft.
  void draft(std::span<const TokenId> drafts);

  // The first `n` drafts are what was sampled: they are pending tokens from now on, the others are forgotten.
  // REQUIRES: 0 ≤ n ≤ n_drafts().
  void accept(int n);

  // Gives back the blocks that hold no computed token: they were taken for drafts that were not accepted.
  void trim() { blocks_.shrink(blocks_for(n_computed_, blocks_.block_size())); }

  // Stays kRunning: blocks given back, every token to be computed again.
  void forget();

  // kRunning → kWaiting: blocks given back, every token to be computed again.
  void preempt();

  // kWaiting or kRunning → kFinished, once: blocks given back.
  void finish(FinishReason reason);

 private:
  void check() const;  // 0 ≤ n_computed ≤ n_total ≤ max_total, n_computed within the blocks

  std::shared_ptr<const Request> request_;
  std::vector<TokenId> tokens_;  // [n_total_], then the drafts
  int n_total_;
  int n_computed_ = 0;
  SeqState state_ = SeqState::kWaiting;
  std::optional<FinishReason> finish_reason_;
  BlockTable blocks_;
};

}  // namespace mie
