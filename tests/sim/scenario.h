// What a seed means: an engine, the clients that come to it and what goes wrong, as plain numbers. Each client and each fault
// is drawn from a stream of its own, so a scenario with some of them left out has the others unchanged. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/engine/engine_options.h"
#include "core/request.h"
#include "core/sched/make_scheduler.h"
#include "models/fake_runner.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mie::sim {

enum class Profile { kMixed, kOverload, kCancelHeavy, kPrefixHeavy, kTinyPool, kDrain, kFaults };
inline constexpr int kProfiles = 7;

Result<Profile> parse_profile(std::string_view name);
[[nodiscard]] std::string_view name_of(Profile profile);

// A turn of the engine is the unit of a scenario's time: its mail, at most one step, its endings.
struct ClientScript {
  int number = 0;  // in the scenario that was drawn
  int arrives = 0;
  bool arrives_in_step = false;  // while the model runs
  Request request{};
  std::optional<Clock::duration> time_limit{};
  std::optional<int> leaves{};  // the turn in which it hangs up, whatever it has
  bool leaves_in_step = false;
  std::optional<int> enough{};  // tokens after which it has found a stop string
  int pause_percent = 0;        // of its reads, how many are followed by a pause
  int longest_pause = 0;        // turns
};

struct Fault {
  enum class Kind {
    kModelStep,  // ModelStepError before a row is written
    kNonFinite,  // the same after they are
    kBadAlloc,   // no memory in the model
    kSlowStep,   // takes `size` times 100 ms
    kDevice,     // lost for good
    kFlush,      // every cached prefix is dropped
    kNoMemory,   // the allocation after the next `size` ones of the engine's turn fails
  };
  static constexpr int kKinds = 7;

  int number = 0;
  int turn = 0;
  Kind kind = Kind::kModelStep;
  int size = 0;
};

struct Scenario {
  std::uint64_t seed = 0;
  SchedulerKind scheduler = SchedulerKind::kChunked;
  EngineOptions options;
  FakeOptions model;
  bool squeezes = false;  // now and then a step may have fewer rows
  std::vector<ClientScript> clients;
  std::vector<Fault> faults;
  std::optional<int> drains, drain_ends;  // turns

  [[nodiscard]] int last_turn() const;  // in which anything is scripted
};

[[nodiscard]] Scenario draw_scenario(std::uint64_t seed, Profile profile);

}  // namespace mie::sim
