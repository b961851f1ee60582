// The published six-request workload through the whole engine, on any model: prompt 32, outputs 8 32 64 16 48 8, all there at
// once, nothing stops early.
#pragma once

#include "models/model_runner.h"

#include <string>
#include <vector>

namespace mie::bench {

inline constexpr int kSixBlocks = 64, kSixBlockSize = 32, kSixLongest = 96;  // what the runner must have

// One line for each count of the two tables of that workload that is not as it must be; empty: all are. `n_vocab`: ids below it
// are prompt tokens. `prefix_caching`: in which ways each arm runs.
[[nodiscard]] std::vector<std::string> wrong_six_request_counts(ModelRunner& runner, int n_vocab,
                                                                const std::vector<bool>& prefix_caching);

}  // namespace mie::bench
