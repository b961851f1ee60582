// How long each prompt and each answer is. Pure; any thread.
#pragma once

#include "bench/workload/expand/inputs.h"

namespace mie::bench {

struct Lengths {
  int prompt = 0;  // tokens after the prefix, if there is one
  int output = 0;
};

enum class Phase : std::uint8_t { kWarmup, kLoad };

// Of the first n requests of a phase. Drawn numbers of the load do not depend on how many warm-up requests there are; the
// Python generator starts afresh for each phase, and traces and files of prompts begin at their first row. Rows of a trace are
// held within min and max and start again at its end.
[[nodiscard]] std::vector<Lengths> draw_lengths(const WorkloadSpec& spec, const Inputs& inputs, Phase phase, std::size_t n);

}  // namespace mie::bench
