// From a planned request to what the engine is asked, by the same steps as in the server: the body's fields, template, tokens
// and lengths. Owned by a target; one thread.
#pragma once

#include "bench/load/load_settings.h"
#include "bench/workload/planned_request.h"
#include "core/base/error.h"
#include "server/api/prepare.h"

#include <chrono>

namespace mie::bench {

struct EngineRequest {
  Request request;                  // arrival and deadline are set when it is sent
  std::chrono::milliseconds limit;  // to its deadline
};

class EngineRequests {
 public:
  // All outlive it. `limit`: of the server, to every request's deadline.
  EngineRequests(const api::ServedModel& model, const api::ParamLimits& limits, const Clock& clock,
                 std::chrono::milliseconds limit)
      : model_(model), limits_(limits), clock_(clock), limit_(limit) {}

  // Error: as the server refuses it.
  [[nodiscard]] Result<EngineRequest> make(const PlannedRequest& planned, const LoadSettings& settings);

 private:
  const api::ServedModel& model_;
  const api::ParamLimits& limits_;
  const Clock& clock_;
  std::chrono::milliseconds limit_;
  api::SeedSource seeds_{0};  // not drawn from: every body has a seed
};

}  // namespace mie::bench
