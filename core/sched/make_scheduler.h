// The scheduling policies by the name of `--sched`. Pure functions; any thread.
#pragma once

#include "core/base/error.h"
#include "core/sched/scheduler.h"

#include <memory>
#include <string_view>

namespace mie {

enum class SchedulerKind {
  kSerial,      // one request at a time, the one in front
  kStatic,      // a batch runs to its end
  kContinuous,  // enter and leave at any token; whole prompts, in steps of their own
  kChunked,     // the same with prompts in chunks that share steps with decodes
};

// Error: kConfig with param "sched".
Result<SchedulerKind> parse_scheduler(std::string_view name);
[[nodiscard]] std::string_view name_of(SchedulerKind kind);

[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(SchedulerKind kind);

// The limits that plans of this kind keep, for plan_check and for buffers: serial has one sequence, and all but chunked
// cut a prompt at max_tokens only.
[[nodiscard]] StepLimits limits_for(SchedulerKind kind, StepLimits limits);

}  // namespace mie
