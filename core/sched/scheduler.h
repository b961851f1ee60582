// Scheduling policy as a pure function of numbers: no tensors, clock, I/O or pointers to live objects. The same input gives
// the same plan, so a bug report is a text file. Stateless; used by the engine thread, safe from any.
#pragma once

#include "core/base/id.h"

#include <limits>
#include <span>
#include <vector>

namespace mie {

struct SeqView {
  RequestId id;
  bool running = false;  // false: waiting (new, or preempted and back at the head of the line)
  int n_prompt = 0;
  int n_total = 0;       // prompt + generated
  int n_computed = 0;    // tokens whose K,V are cached; of a waiting one: that it can start behind
  int n_blocks = 0;      // KV blocks held; of a waiting one: full blocks of these tokens
  int n_own_blocks = 0;  // of them, those that nobody else holds: free once it is evicted, taken from the free once admitted
  int max_total = 0;     // n_prompt + max_tokens: the most it can ever hold; n_prompt when only the prompt is scored
  bool held = false;     // a waiting one whose prompt another sequence is computing: better not admitted yet
  int n_drafts = 0;      // guessed tokens after n_total that a step may verify; only of a running one that decodes
  int n_timely = std::numeric_limits<int>::max();  // of a waiting one with a deadline: rows that surely fit before it

  [[nodiscard]] int n_pending() const { return n_total - n_computed; }
  // The next `n` pending tokens are all of them, and another token is wanted after them.
  [[nodiscard]] bool samples_after(int n) const { return n == n_pending() && n_total < max_total; }
  // Even alone it would have its next token after its deadline.
  [[nodiscard]] bool late() const { return !running && n_pending() > n_timely; }
  // Its prompt is computed: one row gives its next token.
  [[nodiscard]] bool decodes() const { return n_pending() == 1 && n_computed >= n_prompt; }
};

struct KvBudget {
  int n_free_blocks = 0;  // that nobody references
  int n_blocks = 0;
  int block_size = 0;  // tokens
};

struct StepLimits {
  int max_seqs = 0;           // sequences in one step
  int max_tokens = 0;         // rows in one step
  int max_prefill_chunk = 0;  // rows of one prompt in one step
  int draft_rows = 0;         // rows that a step with drafts may have; 0: no drafts are verified
};

struct Scheduled {
  RequestId id;
  int first_position = 0;  // == n_computed of the sequence
  int n_tokens = 0;        // drafts included, which come last
  int n_new_blocks = 0;    // blocks to take before the rows fit
  bool samples = false;    // the rows reach n_total: the logits of the last one and of each draft give a token
  int n_drafts = 0;

  [[nodiscard]] int n_sampled() const { return samples ? 1 + n_drafts : 0; }

  friend bool operator==(const Scheduled&, const Scheduled&) = default;
};

struct StepPlan {
  std::vector<RequestId> evict{};   // running → waiting, KV dropped; applied first
  std::vector<RequestId> reject{};  // can never fit; finish with kContextLengthExceeded
  std::vector<RequestId> late{};    // can have no further token in time; finish with kDeadlineExceeded
  std::vector<Scheduled> run{};     // row order of the batch

  void clear() {
    evict.clear();
    reject.clear();
    late.clear();
    run.clear();
  }
  friend bool operator==(const StepPlan&, const StepPlan&) = default;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // `seqs`: every live sequence, first the running ones, then the waiting ones, each part in queue order: by arrival, where a
  // unit of priority counts as so much time.
  // `memory`: a plan whose vectors the new one may use, so that a steady engine allocates none; its content does not matter.
  [[nodiscard]] virtual StepPlan plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits,
                                      StepPlan memory = {}) const = 0;
};

}  // namespace mie
