// Listens to an engine in this process and keeps what each step ran (bench/metrics/step_counts.h). Owned by a target, outlives
// the engine; begin() and end() on the run's thread between loads.
#pragma once

#include "bench/metrics/step_counts.h"
#include "core/engine/engine_observer.h"

#include <cstdint>
#include <mutex>

namespace mie::bench {

class StepRecorder final : public EngineObserver {
 public:
  // Stamps of lines are those of the engine's clock less `zero_ns`. `n_blocks`: of the pool.
  void begin(std::int64_t zero_ns, int n_blocks);
  [[nodiscard]] LoadSteps end();

  void planned(const StepPlan& plan, Clock::time_point at) noexcept override;
  void preempted(RequestId id, Clock::time_point at) noexcept override;
  void row(const Scheduled& scheduled, const RowTokens& tokens) noexcept override;
  void committed(const CommittedStep& step) noexcept override;

 private:
  std::mutex mutex_;  // of steps_ and the two numbers
  LoadSteps steps_;
  std::int64_t zero_ns_ = 0;
  int n_blocks_ = 0;
  StepLine open_{};  // engine thread: the step that is being made
  std::int64_t n_planned_ = 0;
};

}  // namespace mie::bench
