// Turns what an engine tells into the events of a recording. Base of the recorder and of the replay, so that both see the same.
// Engine thread only.
#pragma once

#include "core/engine/engine_observer.h"
#include "server/record/record.h"

namespace mie {

class RecordingObserver : public EngineObserver {
 public:
  void taken(const Submission& submission) noexcept final;
  void released(RequestId id, const Release& release) noexcept final;
  void planned(const StepPlan& plan, Clock::time_point at) noexcept final;
  void ended(const Sequence& seq, const Finish& finish) noexcept final;
  void committed(const CommittedStep& step) noexcept final;
  void failed() noexcept final;
  void flushed() noexcept final;

 protected:
  explicit RecordingObserver(Clock::time_point start = {}) : start_(start) {}
  void count_from(Clock::time_point start) { start_ = start; }

 private:
  virtual void add(RecordEvent event) = 0;
  virtual void lost() noexcept = 0;  // there was no memory for an event

  template <class Make>
  void tell(const Make& make) noexcept;

  Clock::time_point start_;
  std::int64_t step_ = 0;
};

}  // namespace mie
