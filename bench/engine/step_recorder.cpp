#include "bench/engine/step_recorder.h"

#include <new>
#include <utility>

namespace mie::bench {

void StepRecorder::begin(std::int64_t zero_ns, int n_blocks) {
  const std::lock_guard held(mutex_);
  steps_ = {};
  zero_ns_ = zero_ns;
  n_blocks_ = n_blocks;
}

LoadSteps StepRecorder::end() {
  const std::lock_guard held(mutex_);
  return std::exchange(steps_, {});
}

void StepRecorder::planned(const StepPlan& /*plan*/, Clock::time_point /*at*/) noexcept { open_ = {.number = ++n_planned_}; }

void StepRecorder::preempted(RequestId /*id*/, Clock::time_point /*at*/) noexcept { ++open_.n_evicted; }

void StepRecorder::row(const Scheduled& scheduled, const RowTokens& tokens) noexcept {
  ++open_.n_seqs;
  open_.n_rows += scheduled.n_tokens;
  open_.n_decoding += tokens.n_decode > 0 ? 1 : 0;
  open_.n_prefill += tokens.n_prefill;
  open_.n_recompute += tokens.n_recompute;
  open_.n_decode += tokens.n_decode;
  open_.n_rejected += tokens.n_rejected;
  open_.context += context_of(scheduled.first_position, scheduled.n_tokens);
  open_.n_blocks_taken += scheduled.n_new_blocks;
}

void StepRecorder::committed(const CommittedStep& step) noexcept {
  open_.plan_ns = step.plan.count();
  open_.run_ns = step.run.count();
  open_.commit_ns = step.commit.count();
  open_.n_blocks_used = step.n_blocks_used;
  const std::lock_guard held(mutex_);
  open_.begin_ns = step.begin.time_since_epoch().count() - zero_ns_;
  open_.n_blocks_free = n_blocks_ - step.n_blocks_used;
  try {
    steps_.add(open_);
  } catch (const std::bad_alloc&) {
    ++steps_.n_lost;
  }
}

}  // namespace mie::bench
