// A load's live figures as a screen for a terminal, or as one line of JSON where there is none. Pure; any thread.
#pragma once

#include "bench/live/live_figures.h"
#include "bench/run/watcher.h"

#include <string>

namespace mie::bench {

inline constexpr int kScreenLines = 10;

// Exactly kScreenLines lines of at most 100 columns, each with its newline.
[[nodiscard]] std::string screen_of(const LoadTitle& title, const WorkloadSpec& spec, const LiveFigures& figures);

// One object and a newline.
[[nodiscard]] std::string json_line_of(const LoadTitle& title, const LiveFigures& figures);

}  // namespace mie::bench
