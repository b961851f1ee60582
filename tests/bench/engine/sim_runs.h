// Workloads put to the simulated engine as `mie bench run` does it. Test code.
#pragma once

#include "bench/engine/sim_target.h"
#include "bench/run/run.h"
#include "tests/bench/workload/specs.h"

#include <string>

namespace mie::bench {

inline CostModel costs(double a, double b, double c, double d) {
  return {.a = a, .b = b, .c = c, .d = d, .json = R"({"schema":"mie.cost_model/1"})"};
}

inline RunResult simulated(const WorkloadSpec& spec, const CostModel& cost = costs(1e-3, 1e-5, 1e-4, 1e-8)) {
  SimTargets targets(cost);
  Interrupt interrupt;
  Watcher nobody;
  const RunSettings settings{.run_id = "r", .workload_folder = kShipped, .probes = false};
  auto result = run_workload(spec, settings, targets, {interrupt, nobody});
  EXPECT_TRUE(result.has_value()) << (result.has_error() ? result.error().message : "");
  return result.has_value() ? std::move(*result) : RunResult{};
}

}  // namespace mie::bench
