// Which part of a run is measured, and whether its figures may be shown. Pure; any thread.
#pragma once

#include "bench/result/run_result.h"

namespace mie::bench {

// From the first request that is no warm-up to the last end, less what `steady` cuts off where it is fixed. Where it is to be
// detected, that is the analysis's matter, which has the statistics for it.
[[nodiscard]] Window measured_window(const RunResult& result);

// Why the client was the bottleneck of a load; empty: it was not.
[[nodiscard]] std::vector<std::string> client_trouble(const RunResult& result, const Repetition& repetition);

// The gravest first: stopped, unequal work, a client that was the bottleneck, a machine that others used, a load that was not
// steady. Each reason is a sentence.
[[nodiscard]] Validity judge(const RunResult& result);

}  // namespace mie::bench
