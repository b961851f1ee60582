// The scripted events of a scenario in the order of their turns. Value.
#pragma once

#include "tests/sim/scenario.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace mie::sim {

struct Event {
  enum class Kind { kArrival, kLeave, kFault, kDrain, kDrainEnd };
  enum class During { kPause, kStep };  // between two turns, or while the model runs

  int turn = 0;
  During during = During::kPause;
  Kind kind = Kind::kArrival;
  int index = 0;  // of the client or fault
};

class Timetable {
 public:
  explicit Timetable(const Scenario& scenario);

  // The next one that is due; those of earlier turns first.
  std::optional<Event> next(int turn, Event::During during);

  [[nodiscard]] bool over() const { return n_past_ == events_.size(); }
  [[nodiscard]] std::optional<int> next_turn() const;

 private:
  std::vector<Event> events_;
  std::size_t n_past_ = 0;
};

}  // namespace mie::sim
