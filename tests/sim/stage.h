// What the actors of a simulated world have in common: the engine, the time, the course so far and what was found to be
// broken. Owned by the world; one thread.
#pragma once

#include "core/base/clock.h"
#include "core/engine/engine.h"
#include "tests/sim/digest.h"
#include "tests/sim/planted_bug.h"
#include "tests/sim/strands.h"

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace mie::sim {

struct Stage {
  std::uint64_t seed = 0;
  Engine& engine;
  Strands& strands;
  const Clock& clock;
  PlantedBug planted = PlantedBug::kNone;
  Digest digest{};
  std::vector<std::string> broken{};

  int turn = 0;
  int mail_turn = 0;  // in which the engine will see what it is sent now
  bool calm = false;  // faults and pauses are over
  bool draining = false, drain_expired = false;
  int n_failed_steps = 0;                    // faults that end the sequences of a step
  bool may_be_lost = false;                  // a fault that may end the engine has happened
  std::unordered_set<RequestId> given_up{};  // by a plan, since they would be late

  void tell(std::string what) { broken.push_back("turn " + std::to_string(turn) + ": " + std::move(what)); }
};

}  // namespace mie::sim
