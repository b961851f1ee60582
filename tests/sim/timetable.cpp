#include "tests/sim/timetable.h"

#include <algorithm>
#include <tuple>

namespace mie::sim {
namespace {

Event::During during(bool in_step) { return in_step ? Event::During::kStep : Event::During::kPause; }

}  // namespace

Timetable::Timetable(const Scenario& scenario) {
  using Kind = Event::Kind;
  for (int i = 0; const ClientScript& client : scenario.clients) {
    events_.push_back({client.arrives, during(client.arrives_in_step), Kind::kArrival, i});
    if (client.leaves) events_.push_back({*client.leaves, during(client.leaves_in_step), Kind::kLeave, i});
    ++i;
  }
  for (int i = 0; const Fault& fault : scenario.faults)
    events_.push_back({.turn = fault.turn, .kind = Kind::kFault, .index = i++});
  if (scenario.drains) events_.push_back({.turn = *scenario.drains, .kind = Kind::kDrain});
  if (scenario.drain_ends) events_.push_back({.turn = *scenario.drain_ends, .kind = Kind::kDrainEnd});
  std::ranges::sort(events_, {}, [](const Event& e) { return std::tuple(e.turn, e.during, e.kind, e.index); });
}

std::optional<Event> Timetable::next(int turn, Event::During during) {
  if (over()) return {};
  const Event& event = events_[n_past_];
  if (event.turn > turn || (event.turn == turn && event.during > during)) return {};
  ++n_past_;
  return event;
}

std::optional<int> Timetable::next_turn() const { return over() ? std::nullopt : std::optional(events_[n_past_].turn); }

}  // namespace mie::sim
