// One life of the engine from a seed: the real Engine, moved turn by turn on one thread, with a model that is a hash, virtual
// time, clients that are coroutines, and checks after every turn. First comes what the scenario asks for (safety), then calm,
// in which all that is left must end within a bound (liveness). The same scenario takes the same course. For tests.
#pragma once

#include "tests/sim/planted_bug.h"
#include "tests/sim/scenario.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mie::sim {

// What a life was made of; sums over lives.
struct Figures {
  std::int64_t n_requests = 0;  // asked, each for one choice or several
  std::int64_t n_choices = 0;   // accepted
  std::int64_t n_refused = 0;   // requests
  std::int64_t n_turns = 0, n_steps = 0, n_tokens = 0;
  std::int64_t n_preemptions = 0, n_cached_tokens = 0, n_prefixes_evicted = 0, n_drafts_accepted = 0;
  std::int64_t n_given_up = 0;                         // choices that a plan found late
  std::array<std::int64_t, Fault::kKinds> n_faults{};  // that struck, by kind

  Figures& operator+=(const Figures& other);
};

struct Course {
  std::uint64_t digest = 0;
  std::vector<std::string> broken;  // of the turn in which something was found first; empty: all held
  int last_turn = 0;
  Figures figures;
};

[[nodiscard]] Course live(const Scenario& scenario, PlantedBug planted = PlantedBug::kNone);

}  // namespace mie::sim
