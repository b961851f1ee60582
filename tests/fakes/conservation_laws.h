// The sums between the engine's series that hold in every scrape, and those that hold when no request is live.
// Pure functions; any thread.
#pragma once

#include "tests/fakes/metrics_text.h"

#include <string>
#include <vector>

namespace mie {

enum class LawsOf { kAnyTime, kIdle };

// One line per broken law, with both sides; empty: all hold.
[[nodiscard]] std::vector<std::string> broken_laws(const MetricsText& metrics, LawsOf when);

}  // namespace mie
