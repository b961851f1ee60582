#include "server/record/recording_observer.h"

#include "core/sched/plan_digest.h"

#include <exception>

namespace mie {

using Kind = RecordEvent::Kind;

template <class Make>
void RecordingObserver::tell(const Make& make) noexcept {
  try {
    add(make());
  } catch (const std::exception&) {
    lost();
  }
}

void RecordingObserver::taken(const Submission& submission) noexcept {
  tell([&] {
    return RecordEvent{.kind = Kind::kTaken,
                       .step = step_,
                       .id = submission.request->id,
                       .at = submission.enqueued - start_,
                       .request = submission.request};
  });
}

void RecordingObserver::released(RequestId id, const Release& release) noexcept {
  tell([&] {
    return RecordEvent{.kind = Kind::kReleased,
                       .step = step_,
                       .id = id,
                       .at = release.at - start_,
                       .outcome = release.outcome,
                       .n_delivered = release.n_delivered};
  });
}

void RecordingObserver::planned(const StepPlan& plan, Clock::time_point at) noexcept {
  ++step_;
  tell([&] { return RecordEvent{.kind = Kind::kPlanned, .step = step_, .at = at - start_, .digest = plan_digest(plan)}; });
}

void RecordingObserver::ended(const Sequence& seq, const Finish& finish) noexcept {
  tell([&] {
    const auto generated = seq.generated();
    return RecordEvent{.kind = Kind::kEnded,
                       .step = step_,
                       .id = seq.id(),
                       .reason = finish.reason,
                       .tokens = {generated.begin(), generated.end()}};
  });
}

void RecordingObserver::committed(const CommittedStep& step) noexcept {
  tell([&] { return RecordEvent{.kind = Kind::kCommitted, .step = step_, .run = step.run}; });
}

void RecordingObserver::failed() noexcept {
  tell([&] { return RecordEvent{.kind = Kind::kFailed, .step = step_}; });
}

void RecordingObserver::flushed() noexcept {
  tell([&] { return RecordEvent{.kind = Kind::kFlushed, .step = step_}; });
}

}  // namespace mie
