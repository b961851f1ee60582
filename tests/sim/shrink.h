// Makes a case that breaks smaller while it still breaks: fewer turns, clients and faults. Pure function of the case.
#pragma once

#include "tests/sim/kept_case.h"
#include "tests/sim/planted_bug.h"

namespace mie::sim {

// REQUIRES: the case breaks. Lives at most `n_lives` lives.
[[nodiscard]] KeptCase shrink(KeptCase kept, PlantedBug planted = PlantedBug::kNone, int n_lives = 600);

}  // namespace mie::sim
