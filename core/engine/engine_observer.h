// What an engine tells of its work, event by event, in the order in which it does it: the step trace and a recording listen.
// Called on the engine thread, some of it in the middle of a commit and under the metrics lock: a listener neither throws nor
// blocks nor calls the engine. References are valid during the call.
//
// One step:  planned → preempted … → ended (rejected, late) … → for each row: admitted, row, first token, ended → committed
//            or, where the model failed: planned → … → failed, ended …
#pragma once

#include "core/base/clock.h"
#include "core/engine/mailbox.h"
#include "core/finish.h"
#include "core/sched/scheduler.h"
#include "core/sequence.h"

namespace mie {

// What the tokens of one row of the plan were; drafts that were accepted count as decode.
struct RowTokens {
  int n_prefill = 0, n_recompute = 0, n_decode = 0, n_rejected = 0;
};

struct CommittedStep {
  Clock::time_point begin;
  Clock::duration plan{}, run{}, commit{};
  int n_blocks_used = 0;  // of the pool, afterwards
};

class EngineObserver {
 public:
  virtual ~EngineObserver() = default;

  virtual void taken(const Submission& /*submission*/) noexcept {}
  virtual void released(RequestId /*id*/, const Release& /*release*/) noexcept {}
  // `at`: when deadlines were looked at.
  virtual void planned(const StepPlan& /*plan*/, Clock::time_point /*at*/) noexcept {}
  virtual void preempted(RequestId /*id*/, Clock::time_point /*at*/) noexcept {}
  virtual void admitted(RequestId /*id*/, Clock::time_point /*at*/) noexcept {}
  virtual void row(const Scheduled& /*scheduled*/, const RowTokens& /*tokens*/) noexcept {}
  virtual void first_token(RequestId /*id*/, Clock::time_point /*at*/) noexcept {}
  virtual void ended(const Sequence& /*seq*/, const Finish& /*finish*/) noexcept {}  // its tokens are complete
  virtual void committed(const CommittedStep& /*step*/) noexcept {}
  virtual void flushed() noexcept {}  // the prefix cache, between two steps
  virtual void failed() noexcept {}   // the step that was planned last
};

}  // namespace mie
