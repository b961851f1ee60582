// A load that goes on until a figure is known precisely (`requests.precision`): rounds of one list of requests, put to the
// server one after another, and between two of them a look at the records so far. The instants of the looks are fixed
// beforehand, and no look disturbs a load. Pure but for until_precise, which blocks as long as its rounds; one thread.
#pragma once

#include "bench/load/load_settings.h"
#include "bench/result/run_result.h"
#include "bench/workload/planned_request.h"
#include "core/base/error.h"

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace mie::bench {

inline constexpr int kRounds = 5;  // of equal length, max_s together; a look after each

// One round as a load of its own.
struct Round {
  int number = 0;
  LoadSettings settings{};
  std::vector<PlannedRequest> requests{};
};

// Of an open loop: the requests of its part of the time, which counts from its beginning. Of a closed loop: all that the first
// `n_sent` leave. The first has the seconds of warm-up before its part. `whole`: the settings for all of the load.
[[nodiscard]] Round round_of(const WorkloadSpec& spec, const LoadSettings& whole, std::span<const PlannedRequest> load,
                             int number, int n_sent);

// Puts a round to the server and adds its records to the result.
using PutRound = std::function<std::optional<Error>(const Round&)>;

// Rounds until a look finds the figure precise, the last is over, or one was broken off; adds the looks to the result. Errors:
// those of `put`; kConfig: no look can be taken here.
[[nodiscard]] std::optional<Error> until_precise(RunResult& result, const LoadSettings& whole,
                                                 std::span<const PlannedRequest> load, const std::filesystem::path& folder,
                                                 const PutRound& put);

}  // namespace mie::bench
