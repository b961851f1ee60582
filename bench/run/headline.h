// What is printed of a run that has ended. Pure; any thread.
#pragma once

#include "bench/result/run_result.h"

#include <string>

namespace mie::bench {

// The workload with its hash, rates and percentiles; of an invalid run its reasons in their place.
[[nodiscard]] std::string headline(const RunResult& result);

// As many of the offered requests met every objective as `goodput_target` wants, or there are no objectives.
[[nodiscard]] bool accepted(const RunResult& result);

}  // namespace mie::bench
