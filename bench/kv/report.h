// The report of `mie bench kv`: tables for a terminal, or one JSON object. Pure functions.
#pragma once

#include "bench/kv/capacity.h"
#include "bench/kv/exact_cases.h"
#include "bench/kv/growth.h"
#include "bench/kv/length_lists.h"
#include "bench/kv/sharing.h"
#include "bench/kv/step_time.h"

#include <string>
#include <vector>

namespace mie::bench {

struct KvReport {
  ResidentMode resident = ResidentMode::kOff;
  std::vector<LengthList> lists{};
  std::vector<CapacityRow> capacity{};
  std::vector<ExactCase> cases{};
  SharedPrefix prefix{};
  std::vector<SharingRow> sharing{};
  std::vector<GrowthRow> growth{};
  std::string model{};  // of the times
  std::vector<StepTime> times{};

  // Lines that say which figure is off, and by which way; empty: all exact, all ways agree.
  [[nodiscard]] std::vector<std::string> failures() const;

  // Others used the machine while a step was timed.
  [[nodiscard]] bool disturbed() const;
};

[[nodiscard]] std::string as_text(const KvReport& report);
[[nodiscard]] std::string as_json(const KvReport& report);

}  // namespace mie::bench
