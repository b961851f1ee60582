// mie_sim: lives of the engine by their seeds. Prints what they were made of; a life that breaks is shrunk and printed as a
// line for tests/sim/seeds.txt, and the exit code is 1.
#include "core/base/log.h"
#include "tests/sim/digest.h"
#include "tests/sim/kept_case.h"
#include "tests/sim/shrink.h"
#include "tests/sim/world.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

namespace mie::sim {
namespace {

struct Wishes {
  std::uint64_t seed = 1;
  std::uint64_t n_seeds = 1;
  std::optional<int> n_turns;
  std::string profile = "all";
  std::string only;
};

constexpr const char* kFaultNames[Fault::kKinds] = {"model_step", "non_finite", "bad_alloc", "slow_step",
                                                    "device",     "flush",      "no_memory"};

void print(const Figures& f) {
  fmt::print(
      "requests={} choices={} refused={} turns={} steps={} tokens={} preemptions={} cached_tokens={} evicted_prefixes={}",
      f.n_requests, f.n_choices, f.n_refused, f.n_turns, f.n_steps, f.n_tokens, f.n_preemptions, f.n_cached_tokens,
      f.n_prefixes_evicted);
  fmt::print(" accepted_drafts={} given_up={}", f.n_drafts_accepted, f.n_given_up);
  for (std::size_t kind = 0; kind < f.n_faults.size(); ++kind) fmt::print(" {}={}", kFaultNames[kind], f.n_faults[kind]);
  fmt::print("\n");
}

// What a life broke, and the least of it that still breaks.
void print_broken(KeptCase kept, const Course& course) {
  fmt::print("broken: {}\n", to_line(kept));
  for (const std::string& line : course.broken) fmt::print("  {}\n", line);
  kept = shrink(std::move(kept));
  kept.note = live(scenario_of(kept)).broken.front();
  fmt::print("keep: {}\n", to_line(kept));
}

KeptCase case_of(const Wishes& wishes, std::uint64_t seed, std::optional<Profile> profile) {
  return {.seed = seed, .profile = profile.value_or(static_cast<Profile>(seed % kProfiles)), .n_turns = wishes.n_turns};
}

int run(const Wishes& wishes) {
  std::optional<Profile> profile;
  if (wishes.profile != "all") {
    const auto named = parse_profile(wishes.profile);
    if (!named) return fmt::print(stderr, "mie_sim: {}\n", named.error().message), 2;
    profile = *named;
  }
  Figures figures;
  Digest digest;
  std::uint64_t n_broken = 0;
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t seed = wishes.seed; seed < wishes.seed + wishes.n_seeds; ++seed) {
    const KeptCase kept = case_of(wishes, seed, profile);
    const Course course = live(scenario_of(kept));
    figures += course.figures;
    digest.add(course.digest);
    if (!course.broken.empty()) {
      ++n_broken;
      print_broken(kept, course);
    }
    std::fflush(stdout);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  print(figures);
  fmt::print("seed={} seeds={} profile={} broken={} digest={:016x} seconds={:.1f}\n", wishes.seed, wishes.n_seeds,
             wishes.profile, n_broken, digest.value(), took.count());
  return n_broken == 0 ? 0 : 1;
}

// One line of seeds.txt.
int run_line(const std::string& line) {
  const auto kept = parse_case(line);
  if (!kept) return fmt::print(stderr, "mie_sim: {}\n", kept.error().message), 2;
  const Course course = live(scenario_of(*kept));
  for (const std::string& broken : course.broken) fmt::print("  {}\n", broken);
  print(course.figures);
  fmt::print("{} digest={:016x}\n", to_line(*kept), course.digest);
  return course.broken.empty() ? 0 : 1;
}

}  // namespace
}  // namespace mie::sim

int main(int argc, char** argv) {
  mie::configure_logging({.level = "off"});
  const auto log = mie::logger("engine");  // there from the start, as in a server
  mie::sim::Wishes wishes;
  CLI::App app{"Lives of the engine by their seeds"};
  app.add_option("--seed", wishes.seed, "the first seed")->capture_default_str();
  app.add_option("--seeds", wishes.n_seeds, "how many")->capture_default_str();
  app.add_option("--steps", wishes.n_turns, "turns of the engine in which clients come and things go wrong; all by default");
  app.add_option("--profile", wishes.profile,
                 "all (in turn), mixed, overload, cancel-heavy, prefix-heavy, tiny-pool, drain, faults")
      ->capture_default_str();
  app.add_option("--case", wishes.only, "a line of seeds.txt instead");
  CLI11_PARSE(app, argc, argv);
  return wishes.only.empty() ? mie::sim::run(wishes) : mie::sim::run_line(wishes.only);
}
