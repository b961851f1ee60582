// What must hold of a run whatever its figures are. Pure; any thread.
#pragma once

#include "bench/result/run_result.h"

#include <vector>

namespace mie::bench {

// Those that the specification asks for, and the counters of the server wherever it has any.
[[nodiscard]] std::vector<Check> check_run(const RunResult& result);

}  // namespace mie::bench
