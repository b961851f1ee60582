#include "core/engine/live_requests.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mie {
namespace {

std::string named(RequestId id, const char* what) { return "request " + std::to_string(id.value()) + " " + what; }

bool before(const LiveRequest* a, const LiveRequest* b) {
  return a->rank != b->rank ? a->rank < b->rank : a->seq.id() < b->seq.id();
}

template <class Line>
void enter(Line& line, LiveRequest& live) {
  line.insert(std::upper_bound(line.begin(), line.end(), &live, before), &live);
}

template <class Line>
void leave(Line& line, const LiveRequest& live) {
  const auto place = std::find(line.begin(), line.end(), &live);
  ENSURE(place != line.end(), named(live.seq.id(), "is not in its line"));
  line.erase(place);
}

}  // namespace

void PromptStart::forget() {
  match.blocks.clear();
  n_own_blocks = n_copied = 0;
  held = false;
}

LiveRequest& LiveRequests::add(Submission submission) {
  auto live = std::make_unique<LiveRequest>(LiveRequest{.seq = Sequence(std::move(submission.request), *pool_, block_size_),
                                                        .stream = std::move(submission.stream),
                                                        .draft_length = DraftLength(n_drafts_)});
  live->times.arrival = live->seq.request().arrival;
  live->times.enqueued = submission.enqueued;
  LiveRequest& added = *live;
  const Request& request = added.seq.request();
  if (request.choice == 0) last_group_ = request.n_choices > 1 ? std::make_shared<ChoiceGroup>() : nullptr;
  if (request.n_choices > 1) join_group(added);
  const auto [place, fresh] = records_.try_emplace(added.seq.id(), RequestRecord{.live = std::move(live)});
  ENSURE(fresh, named(added.seq.id(), "came in twice"));
  added.rank = submission.enqueued + request.priority * priority_ageing_;
  enter(waiting_, added);
  return added;
}

// What the first choice of a prompt computes of it, the others have computed.
void LiveRequests::join_group(LiveRequest& added) {
  const Request& request = added.seq.request();
  ENSURE(last_group_ != nullptr && std::cmp_equal(last_group_->choices.size(), request.choice),
         named(request.id, "is not the next choice of its prompt"));
  if (request.choice == 0) last_group_->salt = "choices of " + std::to_string(request.id.value());
  if (request.choice > 0) added.n_ever_computed = added.seq.n_prompt();
  last_group_->choices.push_back(&added);
  added.group = last_group_;
}

void LiveRequests::admitted(LiveRequest& live) {
  live.n_published = static_cast<int>(live.start.match.blocks.size());
  live.start.forget();
  enter(running_, live);
  leave(waiting_, live);
}

void LiveRequests::preempted(LiveRequest& live) {
  enter(waiting_, live);
  leave(running_, live);
}

void LiveRequests::ended(LiveRequest& live) {
  RequestRecord& record = this->record(live.seq.id());
  ENSURE(record.live.get() == &live, named(live.seq.id(), "ended twice"));
  if (std::find(running_.begin(), running_.end(), &live) != running_.end()) {
    leave(running_, live);
  } else {
    leave(waiting_, live);
  }
  if (live.group != nullptr) leave(live.group->choices, live);
  record.n_generated = live.seq.n_generated();
  record.live.reset();
}

void LiveRequests::forget(RequestId id) {
  ENSURE(record(id).live == nullptr, named(id, "is forgotten while in the engine"));
  records_.erase(id);
}

RequestRecord& LiveRequests::record(RequestId id) {
  const auto found = records_.find(id);
  ENSURE(found != records_.end(), named(id, "is not known"));
  return found->second;
}

LiveRequest& LiveRequests::live(RequestId id) {
  RequestRecord& found = record(id);
  ENSURE(found.live != nullptr, named(id, "has ended"));
  return *found.live;
}

std::vector<LiveRequest*> LiveRequests::all() const {
  std::vector<LiveRequest*> all(running_);
  all.insert(all.end(), waiting_.begin(), waiting_.end());
  return all;
}

void LiveRequests::view(std::vector<SeqView>& views) const {
  views.clear();
  for (const LiveRequest* live : running_) views.push_back(live->seq.view());
  for (const LiveRequest* live : waiting_) {
    const PromptStart& start = live->start;
    SeqView view = live->seq.view();
    view.n_blocks = static_cast<int>(start.match.blocks.size());
    view.n_own_blocks = start.n_own_blocks;
    view.n_computed = view.n_blocks * block_size_ + start.n_copied;
    view.held = start.held;
    views.push_back(view);
  }
}

}  // namespace mie
