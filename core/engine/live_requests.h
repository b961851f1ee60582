// The requests that the engine holds and the two lines they stand in, running and waiting, both by rank: who came earlier
// stands before who came later, and a unit of priority counts as so much time. So nobody is overtaken for ever, and the
// evicted, who came before those who never ran, are back at the head. Pure bookkeeping: no metrics, no streams' events. A
// member of EngineCore; engine thread only.
#pragma once

#include "core/engine/draft_length.h"
#include "core/engine/mailbox.h"
#include "core/engine/token_stream.h"
#include "core/finish.h"
#include "core/sequence.h"
#include "kv/block_pool.h"
#include "kv/prefix_index.h"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace mie {

struct LiveRequest;

// The choices of one prompt that are in the engine, in order of arrival.
struct ChoiceGroup {
  std::vector<LiveRequest*> choices;
  std::string salt;  // of blocks that they alone share
};

// Where a waiting sequence would start: behind what is computed already (prefix_sharing.h).
struct PromptStart {
  PrefixMatch match;
  int n_own_blocks = 0;  // of the match, those that nobody holds
  int n_copied = 0;      // tokens behind the match, to be copied from the block of another choice
  BlockId copied_from;
  bool held = false;  // another sequence is computing what it needs next

  void forget();  // keeps the memory
};

// One request while it is in the engine.
struct LiveRequest {
  Sequence seq;
  std::shared_ptr<TokenStream> stream;
  DraftLength draft_length;
  Clock::time_point rank{};  // where it stands in line; of equals, the lower id first
  RequestTimes times{};
  int n_ever_computed = 0;               // the most tokens that its cache has held; below it, work is done for the second time
  std::shared_ptr<ChoiceGroup> group{};  // null: the only choice of its prompt
  PromptStart start{};                   // while it waits
  int n_published = 0;                   // full blocks that are indexed
  int n_told = 0;                        // first rows of its prompt whose logprobs have left; not again after an eviction

  [[nodiscard]] bool preempted() const { return seq.state() == SeqState::kWaiting && times.admitted.has_value(); }
};

// What is known of a request from acceptance until its release, which may come long after its end.
struct RequestRecord {
  std::unique_ptr<LiveRequest> live;  // null: ended
  int n_generated = 0;                // sampled tokens, once it has ended
};

class LiveRequests {
 public:
  LiveRequests(BlockPool& pool, const EngineOptions& options)
      : pool_(&pool), block_size_(options.block_size), n_drafts_(options.n_drafts), priority_ageing_(options.priority_ageing) {}

  // To its place in the waiting line.
  LiveRequest& add(Submission submission);

  // Waiting → running; its sequence has been admitted.
  void admitted(LiveRequest& live);

  // Running → waiting; its sequence has been preempted.
  void preempted(LiveRequest& live);

  // Ended: out of its line; the record stays. `live` is gone after this.
  void ended(LiveRequest& live);

  // Released: the record goes too. REQUIRES: ended.
  void forget(RequestId id);

  // REQUIRES: known, that is accepted and not released.
  [[nodiscard]] RequestRecord& record(RequestId id);

  // REQUIRES: in the engine.
  [[nodiscard]] LiveRequest& live(RequestId id);

  [[nodiscard]] const std::vector<LiveRequest*>& running() const { return running_; }
  [[nodiscard]] const std::deque<LiveRequest*>& waiting() const { return waiting_; }
  [[nodiscard]] std::vector<LiveRequest*> all() const;  // running, then waiting
  [[nodiscard]] const std::unordered_map<RequestId, RequestRecord>& records() const { return records_; }
  [[nodiscard]] bool empty() const { return running_.empty() && waiting_.empty(); }

  // In the order that Scheduler::plan wants. Replaces what `views` held.
  void view(std::vector<SeqView>& views) const;

 private:
  void join_group(LiveRequest& added);

  BlockPool* pool_;
  int block_size_, n_drafts_;
  Clock::duration priority_ageing_;
  std::unordered_map<RequestId, RequestRecord> records_;
  std::shared_ptr<ChoiceGroup> last_group_;  // of the choice that came last
  std::vector<LiveRequest*> running_;
  std::deque<LiveRequest*> waiting_;
};

}  // namespace mie
