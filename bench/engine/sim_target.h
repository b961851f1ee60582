// The simulated engine: our scheduler, engine core and block pool over a model without weights, on a virtual clock that a cost
// model moves. It predicts schedules and is the same to the bit each time; how fast the machine is does not matter.
#pragma once

#include "bench/engine/cost_model.h"
#include "bench/run/target.h"
#include "core/base/clock.h"

namespace mie::bench {

class SimTargets final : public Targets {
 public:
  explicit SimTargets(CostModel cost) : cost_(std::move(cost)) {}

  [[nodiscard]] TargetKind kind() const override { return TargetKind::kSim; }
  // Flags are those of `mie serve`; `--model` is none or fake:SPEC, whose K,V take 4 bytes a token.
  Result<OpenedTarget> open(const std::vector<std::string>& flags, std::string_view name) override;
  void rest(std::chrono::duration<double> time) override { clock_.advance(std::chrono::duration_cast<Clock::duration>(time)); }
  [[nodiscard]] bool real_time() const override { return false; }
  [[nodiscard]] std::string cost_model_json() const override { return cost_.json; }

 private:
  CostModel cost_;
  ManualClock clock_;  // of all loads, one after the other
};

}  // namespace mie::bench
