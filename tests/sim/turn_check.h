// What must be true between two turns of the engine beyond the invariants of each: nobody overtakes, nobody stays past a
// deadline or a release, tokens only come. Compares copies of the state, shares no code with the engine. Pure functions.
#pragma once

#include "core/base/clock.h"
#include "core/engine/snapshot.h"

#include <string>
#include <vector>

namespace mie::sim {

// What the world knows of a request.
struct Claim {
  Clock::time_point rank{};     // its place in the order of service; of equals, the lower id first
  bool should_be_gone = false;  // its deadline had passed or it was released when the turn began
};

class WorldView {
 public:
  virtual ~WorldView() = default;
  [[nodiscard]] virtual Claim claim_of(RequestId id) const = 0;
  // It may stand back while another one computes what it wants. `before`: what began the turn.
  [[nodiscard]] virtual bool may_be_held(const SequenceRecord& waiting, const EngineSnapshot& before) const = 0;
};

[[nodiscard]] std::vector<std::string> broken_by_turn(const EngineSnapshot& before, const EngineSnapshot& after,
                                                      const WorldView& world);

}  // namespace mie::sim
