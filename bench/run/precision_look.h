// What bench/analysis makes of the records so far: whether the figure that a run is to know is known precisely enough. No
// interval is computed here. Starts that program and waits for it; any thread.
#pragma once

#include "bench/result/run_result.h"
#include "core/base/error.h"

#include <filesystem>

namespace mie::bench {

// Error kConfig: bench/analysis cannot be run here. To be asked before there is a load that could not be looked at.
[[nodiscard]] std::optional<Error> looks_can_be_taken(const std::filesystem::path& folder);

// The look after so many rounds, of those that there may be. `folder`: for the files that the two exchange, gone afterwards.
[[nodiscard]] Result<PrecisionLook> look_at(const RunResult& result, int n_rounds, const std::filesystem::path& folder);

}  // namespace mie::bench
