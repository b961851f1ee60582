#include "core/engine/live_requests.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mie {
namespace {

std::string named(RequestId id, const char* what) { return "request " + std::to_string(id.value()) + " " + what; }

template <class Line>
void leave(Line& line, const LiveRequest& live) {
  const auto place = std::find(line.begin(), line.end(), &live);
  ENSURE(place != line.end(), named(live.seq.id(), "is not in its line"));
  line.erase(place);
}

}  // namespace

LiveRequest& LiveRequests::add(Submission submission) {
  auto live = std::make_unique<LiveRequest>(LiveRequest{.seq = Sequence(std::move(submission.request), *pool_, block_size_),
                                                        .stream = std::move(submission.stream),
                                                        .draft_length = DraftLength(n_drafts_)});
  live->times.arrival = live->seq.request().arrival;
  live->times.enqueued = submission.enqueued;
  LiveRequest& added = *live;
  const auto [place, fresh] = records_.try_emplace(added.seq.id(), RequestRecord{.live = std::move(live)});
  ENSURE(fresh, named(added.seq.id(), "came in twice"));
  waiting_.push_back(&added);
  return added;
}

void LiveRequests::admitted(LiveRequest& live) {
  running_.push_back(&live);
  leave(waiting_, live);
}

void LiveRequests::preempted(LiveRequest& live) {
  // Behind the preempted ones that arrived earlier, before everything else.
  const auto place = std::find_if(waiting_.begin(), waiting_.end(), [&](const LiveRequest* other) {
    return !other->preempted() || other->seq.id() > live.seq.id();
  });
  waiting_.insert(place, &live);
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
  for (const LiveRequest* live : waiting_) views.push_back(live->seq.view());
}

}  // namespace mie
