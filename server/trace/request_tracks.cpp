#include "server/trace/request_tracks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace mie {
namespace {

Clock::time_point end_of(const TracedStep& step) { return step.begin + step.plan + step.run + step.commit; }

// Makes one track from the events and rows of its request, which come in the order of the steps.
class TrackBuilder {
 public:
  explicit TrackBuilder(RequestId id) : track_{.id = id, .spans = {}} {}

  void hear(const RequestEvent& event) {
    switch (event.kind) {
      case RequestEvent::Kind::kSubmitted:
        track_.submitted = &event;
        idle_ = {"queued", event.at};
        break;
      case RequestEvent::Kind::kFirstToken:
        track_.first_token = &event;
        break;
      case RequestEvent::Kind::kPreempted:
        preemptions_.push_back(&event);
        break;
      case RequestEvent::Kind::kEnded:
        track_.ended = &event;
        break;
      case RequestEvent::Kind::kAdmitted:
        break;
    }
  }

  void add(const TracedStep& step, const TracedRow& row) {
    if (row.event == TracedRow::Event::kPreempted) return preempt(step);
    wait_until(step.begin);
    const bool fills = row.tokens.n_prefill + row.tokens.n_recompute > 0;
    const int n_kept = row.n_tokens - row.tokens.n_rejected;
    const bool goes_on = !fills && decoding_;
    if (!goes_on) push({.name = fills ? "prefill" : "decode", .begin = step.begin, .end = step.begin, .step = step.number});
    RequestSpan& span = track_.spans.back();
    span.n_tokens += n_kept;
    span.n_recomputed += row.tokens.n_recompute;
    span.end = std::max(span.begin, last_moment(end_of(step)));
    decoding_ = !fills;
  }

  RequestTrack take(Clock::time_point end_of_trace) {
    wait_until(last_moment(end_of_trace));
    return std::move(track_);
  }

 private:
  // The commit that ended it goes on for others.
  [[nodiscard]] Clock::time_point last_moment(Clock::time_point at) const {
    return track_.ended == nullptr ? at : std::min(at, track_.ended->at);
  }

  void preempt(const TracedStep& step) {
    const auto at =
        std::find_if(preemptions_.begin(), preemptions_.end(), [&](const auto* e) { return e->step == step.number; });
    idle_ = {"preempted", at == preemptions_.end() ? step.begin : (*at)->at};
    decoding_ = false;
  }

  // The end of being queued or preempted, if it is.
  void wait_until(Clock::time_point at) {
    if (!idle_) return;
    push({.name = idle_->first, .begin = idle_->second, .end = at});
    idle_.reset();
  }

  void push(RequestSpan span) {
    if (!track_.spans.empty()) span.begin = std::max(span.begin, track_.spans.back().end);
    span.end = std::max(span.begin, span.end);
    track_.spans.push_back(span);
  }

  RequestTrack track_;
  std::vector<const RequestEvent*> preemptions_;
  std::optional<std::pair<std::string_view, Clock::time_point>> idle_;
  bool decoding_ = false;  // the last span is one of decode and may go on
};

}  // namespace

std::vector<RequestTrack> request_tracks(const StepLines& lines) {
  std::map<RequestId, TrackBuilder> builders;
  const auto builder = [&](RequestId id) -> TrackBuilder& { return builders.try_emplace(id, id).first->second; };
  Clock::time_point end{};
  for (const RequestEvent& event : lines.events) {
    builder(event.id).hear(event);
    end = std::max(end, event.at);
  }
  for (const TracedStep& step : lines.steps) {
    for (std::int64_t i = 0; i < step.n_traced_rows; ++i) {
      const TracedRow& row = lines.rows[static_cast<std::size_t>(step.first_row + i)];
      builder(row.id).add(step, row);
    }
    end = std::max(end, end_of(step));
  }
  std::vector<RequestTrack> tracks;
  tracks.reserve(builders.size());
  for (auto& [id, one] : builders) tracks.push_back(one.take(end));
  return tracks;
}

}  // namespace mie
