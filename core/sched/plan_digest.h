// One number for a plan, so that a recording can hold it and a replay compare it: equal plans have equal digests, and others
// differ but for one in 2^64. Pure function.
#pragma once

#include "core/sched/scheduler.h"

#include <cstdint>

namespace mie {

// FNV-1a over every number of the plan in its order.
[[nodiscard]] std::uint64_t plan_digest(const StepPlan& plan);

}  // namespace mie
