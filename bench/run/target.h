// Who answers the loads of a run: a server over HTTP, the engine in this process, or the simulated engine. The requests, checks
// and files are the same for all. Owned by the run and used on its thread.
#pragma once

#include "bench/load/load.h"
#include "bench/load/load_settings.h"
#include "bench/metrics/step_counts.h"
#include "bench/run/server_facts.h"
#include "bench/workload/planned_request.h"
#include "bench/workload/spec/workload_spec.h"
#include "core/base/error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

class Target {
 public:
  virtual ~Target() = default;

  [[nodiscard]] virtual const ServerFacts& facts() const = 0;
  [[nodiscard]] virtual LoadSettings settings(const WorkloadSpec& spec) const = 0;  // how requests are put to it
  // Error kConfig: no memory or descriptors.
  virtual Result<std::unique_ptr<Load>> prepare(LoadSettings settings, const std::vector<PlannedRequest>& requests) = 0;

  [[nodiscard]] virtual MetricSums counters() = 0;  // any thread; none: it has no such thing
  virtual bool flush() = 0;                         // drops its prefix cache; false: it cannot
  [[nodiscard]] virtual std::optional<std::int64_t> peak_bytes() const { return {}; }  // most that was resident

  // Steps are told from here on, until steps(); none: it cannot tell. Stamps less `zero_ns`, which is of now_ns().
  virtual void watch_steps(std::int64_t /*zero_ns*/) {}
  [[nodiscard]] virtual std::optional<LoadSteps> steps() { return {}; }

  [[nodiscard]] virtual std::int64_t now_ns() const = 0;          // of the clock of its stamps
  [[nodiscard]] virtual bool same_clock() const { return true; }  // as its own: what it tells can be put beside ours
};

struct OpenedTarget {
  std::shared_ptr<Target> target;
  bool used_before = false;  // by a load of the same run
};

// Where loads are put. Owned by the command; outlives its targets.
class Targets {
 public:
  virtual ~Targets() = default;

  [[nodiscard]] virtual TargetKind kind() const = 0;
  // For one load, or for all of an arm; the run lets go of it afterwards. `flags`: of `mie serve`; `name`: for its log.
  // Error kConfig: it does not start, or nobody answers.
  virtual Result<OpenedTarget> open(const std::vector<std::string>& flags, std::string_view name) = 0;
  [[nodiscard]] virtual bool real_time() const { return true; }  // false: a virtual clock; the machine does not matter
  virtual void rest(std::chrono::duration<double> time) = 0;     // between loads
  [[nodiscard]] virtual std::string cost_model_json() const { return {}; }  // of a simulated one
};

}  // namespace mie::bench
