// What must be true when everything has ended: nothing is held, nothing is owed, and the counters say what the clients saw.
#pragma once

#include "core/engine/engine.h"
#include "tests/fakes/metrics_text.h"
#include "tests/sim/crowd.h"
#include "tests/sim/stage.h"
#include "tests/sim/world.h"

namespace mie::sim {

// Tells the stage what is broken. REQUIRES: the engine is idle.
void check_ending(Stage& stage, const MetricsText& metrics, const Crowd& crowd);

// What the counters say about a life.
[[nodiscard]] Figures figures_of(const MetricsText& metrics, const Crowd& crowd);

}  // namespace mie::sim
