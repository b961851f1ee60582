#include "tests/sim/kept_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace mie::sim {
namespace {

Error bad(std::string_view line) { return {Errc::kConfig, fmt::format("not a case: {}", line.substr(0, 200)), "case"}; }

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// The text before the first `mark`; `rest` is what follows it.
std::string_view cut(std::string_view& rest, char mark) {
  const std::string_view head = rest.substr(0, rest.find(mark));
  rest.remove_prefix(std::min(rest.size(), head.size() + 1));
  return head;
}

bool read_list(std::string_view text, std::optional<std::vector<int>>& list) {
  list.emplace();
  if (text == "-") return true;
  while (!text.empty()) {
    if (!read_number(cut(text, ','), list->emplace_back())) return false;
  }
  return !list->empty();
}

bool read_field(std::string_view name, std::string_view value, KeptCase& kept) {
  if (name == "seed") return read_number(value, kept.seed);
  if (name == "turns") return read_number(value, kept.n_turns.emplace());
  if (name == "clients") return read_list(value, kept.clients);
  if (name == "faults") return read_list(value, kept.faults);
  const auto profile = name == "profile" ? parse_profile(value) : Result<Profile>(Error{});
  if (profile) kept.profile = *profile;
  return profile.has_value();
}

std::string listed(const char* name, const std::optional<std::vector<int>>& list) {
  if (!list) return {};
  return fmt::format(" {}={}", name, list->empty() ? "-" : fmt::format("{}", fmt::join(*list, ",")));
}

template <class Part>
void keep(std::vector<Part>& parts, const std::optional<std::vector<int>>& numbers) {
  if (!numbers) return;
  std::erase_if(parts, [&](const Part& part) { return std::ranges::find(*numbers, part.number) == numbers->end(); });
}

}  // namespace

Result<KeptCase> parse_case(std::string_view line) {
  KeptCase kept;
  std::string_view rest = line;
  std::string_view fields = cut(rest, '#');
  kept.note = rest.substr(std::min(rest.size(), rest.find_first_not_of(' ')));
  bool has_seed = false;
  while (!fields.empty()) {
    std::string_view value = cut(fields, ' ');
    if (value.empty()) continue;
    const std::string_view name = cut(value, '=');
    if (!read_field(name, value, kept)) return bad(line);
    has_seed = has_seed || name == "seed";
  }
  if (!has_seed) return bad(line);
  return kept;
}

Result<std::vector<KeptCase>> parse_cases(std::string_view text) {
  std::vector<KeptCase> cases;
  while (!text.empty()) {
    const std::string_view line = cut(text, '\n');
    if (line.empty() || line.starts_with('#')) continue;
    auto kept = parse_case(line);
    if (!kept) return kept.error();
    cases.push_back(*std::move(kept));
  }
  return cases;
}

std::string to_line(const KeptCase& kept) {
  const std::string turns = kept.n_turns ? fmt::format(" turns={}", *kept.n_turns) : "";
  const std::string note = kept.note.empty() ? "" : " # " + kept.note;
  return fmt::format("seed={} profile={}{}{}{}{}", kept.seed, name_of(kept.profile), turns, listed("clients", kept.clients),
                     listed("faults", kept.faults), note);
}

Scenario scenario_of(const KeptCase& kept) {
  Scenario scenario = draw_scenario(kept.seed, kept.profile);
  keep(scenario.clients, kept.clients);
  keep(scenario.faults, kept.faults);
  if (!kept.n_turns) return scenario;
  const auto later = [&](int turn) { return turn > *kept.n_turns; };
  std::erase_if(scenario.clients, [&](const ClientScript& client) { return later(client.arrives); });
  std::erase_if(scenario.faults, [&](const Fault& fault) { return later(fault.turn); });
  for (ClientScript& client : scenario.clients) {
    if (client.leaves && later(*client.leaves)) client.leaves.reset();
  }
  for (auto* turn : {&scenario.drains, &scenario.drain_ends}) {
    if (*turn && later(**turn)) turn->reset();
  }
  return scenario;
}

}  // namespace mie::sim
