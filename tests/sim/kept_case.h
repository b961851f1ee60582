// One scenario as a line of text: a seed with its profile, and what was taken away from it. Lines of tests/sim/seeds.txt are
// lives that once broke; each is lived again by every test run. Values.
#pragma once

#include "core/base/error.h"
#include "tests/sim/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie::sim {

struct KeptCase {
  std::uint64_t seed = 0;
  Profile profile = Profile::kMixed;
  std::optional<int> n_turns{};               // nothing is scripted to happen after so many
  std::optional<std::vector<int>> clients{};  // numbers of those that come; absent: all
  std::optional<std::vector<int>> faults{};   // of those that strike; absent: all
  std::string note{};                         // what it found, what fixed it
};

// "seed=12 profile=mixed turns=40 clients=1,4 faults=- # note"; all but the first two may be missing, "-" is an empty list.
[[nodiscard]] Result<KeptCase> parse_case(std::string_view line);
[[nodiscard]] std::string to_line(const KeptCase& kept);

// Cases of a text: one a line, empty lines and those that begin with # are passed over.
[[nodiscard]] Result<std::vector<KeptCase>> parse_cases(std::string_view text);

[[nodiscard]] Scenario scenario_of(const KeptCase& kept);

}  // namespace mie::sim
