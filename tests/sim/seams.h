// Scheduler and model runner of a simulated world: the real ones, with an eye on every plan and a hand that makes steps fail.
// Owned by the world; one thread.
#pragma once

#include "core/base/clock.h"
#include "core/sched/scheduler.h"
#include "models/fake_runner.h"
#include "tests/sim/scenario.h"
#include "tests/sim/stage.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace mie::sim {

// Every plan goes into the digest. Now and then a step has fewer rows than it might, where the scenario says so: prompts are
// cut anywhere and sequences left out.
class WatchedScheduler final : public Scheduler {
 public:
  explicit WatchedScheduler(const Scenario& scenario)
      : real_(make_scheduler(scenario.scheduler)), squeezes_(scenario.squeezes) {}

  void watch(Stage& stage) { stage_ = &stage; }

  [[nodiscard]] StepPlan plan(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits,
                              StepPlan memory = {}) const override;

 private:
  [[nodiscard]] std::vector<SeqView> turned_around(std::span<const SeqView> seqs) const;

  std::unique_ptr<Scheduler> real_;
  bool squeezes_;
  Stage* stage_ = nullptr;
  mutable int n_plans_ = 0;
};

class FailingRunner final : public ModelRunner {
 public:
  FailingRunner(FakeOptions model, const EngineOptions& options, ManualClock& clock, PlantedBug planted);

  // What other threads do while the model runs.
  std::function<void()> meanwhile;

  // The next step goes wrong in this way.
  void arm(const Fault& fault) { armed_ = fault; }
  void disarm() { armed_.reset(); }

  // What has gone wrong since the last call.
  [[nodiscard]] std::optional<Fault::Kind> struck() { return std::exchange(struck_, {}); }

  void run(const StepBatch& batch, std::span<const SamplingRow> rows, std::span<Sampled> sampled) override;

  [[nodiscard]] int n_steps() const { return n_steps_; }

 private:
  void strike(Fault::Kind kind) const;
  [[nodiscard]] StepBatch swapped(const StepBatch& batch) const;

  ManualClock& clock_;
  FakeRunner model_;
  PlantedBug planted_;
  std::optional<Fault> armed_;
  std::optional<Fault::Kind> struck_;
  int n_steps_ = 0;
};

}  // namespace mie::sim
