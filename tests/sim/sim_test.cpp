// A few hundred lives over all profiles, those that once broke, and bugs that are planted to see that they are found.
#include "core/base/log.h"
#include "tests/sim/kept_case.h"
#include "tests/sim/shrink.h"
#include "tests/sim/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace mie::sim {
namespace {

using ::testing::IsEmpty;

// The engine logs every step that fails.
class WithoutLog : public ::testing::Environment {
  void SetUp() override {
    configure_logging({.level = "off"});
    log_ = logger("engine");  // there from the start, as in a server
  }
  std::shared_ptr<spdlog::logger> log_;
};
const auto* const kWithoutLog = ::testing::AddGlobalTestEnvironment(new WithoutLog);

// The sanitizers' debug build is some forty times as slow, and a life there is as good as here.
#if __has_feature(address_sanitizer)
constexpr std::uint64_t kLives = 28;
#else
constexpr std::uint64_t kLives = 210;
#endif

KeptCase case_of(std::uint64_t seed) { return {.seed = seed, .profile = static_cast<Profile>(seed % kProfiles)}; }

std::vector<KeptCase> kept_cases() {
  std::ifstream file(MIE_TEST_DATA "/sim/seeds.txt");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto cases = parse_cases(text);
  EXPECT_FALSE(text.empty());
  EXPECT_TRUE(cases) << (cases ? "" : cases.error().message);
  return cases ? *std::move(cases) : std::vector<KeptCase>();
}

TEST(Simulation, NothingBreaksAndEverythingHappens) {
  Figures figures;
  for (std::uint64_t seed = 1; seed <= kLives; ++seed) {
    const Course course = live(scenario_of(case_of(seed)));
    ASSERT_THAT(course.broken, IsEmpty()) << to_line(case_of(seed));
    figures += course.figures;
  }
  if (kLives < 200) return;  // too few for the rare things
  EXPECT_GT(figures.n_requests, 7'000);
  EXPECT_GT(figures.n_choices, figures.n_requests);
  EXPECT_GT(figures.n_refused, 500);
  EXPECT_GT(figures.n_preemptions, 300);
  EXPECT_GT(figures.n_cached_tokens, 10'000);
  EXPECT_GT(figures.n_prefixes_evicted, 10'000);
  EXPECT_GT(figures.n_drafts_accepted, 500);
  EXPECT_GT(figures.n_given_up, 20);
  for (const std::int64_t n : figures.n_faults) EXPECT_GT(n, 0);
}

TEST(Simulation, TheSameSeedTakesTheSameCourse) {
  std::vector<std::uint64_t> digests;
  for (std::uint64_t seed = 1001; seed < 1001 + kLives / 10; ++seed) {
    const Course once = live(scenario_of(case_of(seed)));
    EXPECT_EQ(once.digest, live(scenario_of(case_of(seed))).digest) << "seed " << seed;
    digests.push_back(once.digest);
  }
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end()) << "two seeds take the same course";
}

TEST(Simulation, WhatOnceBrokeHolds) {
  for (const KeptCase& kept : kept_cases()) EXPECT_THAT(live(scenario_of(kept)).broken, IsEmpty()) << to_line(kept);
}

class Planted : public ::testing::TestWithParam<PlantedBug> {};

// Found within a few seeds, and what is left of the case is small, breaks by itself, and is kept in its line.
TEST_P(Planted, IsFoundAndShrunk) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    if (live(scenario_of(case_of(seed)), GetParam()).broken.empty()) continue;
    const KeptCase small = shrink(case_of(seed), GetParam());
    EXPECT_LE(small.clients->size(), 6U) << to_line(small);
    EXPECT_LE(small.faults->size(), 1U) << to_line(small);
    const auto read_back = parse_case(to_line(small));
    ASSERT_TRUE(read_back) << to_line(small);
    EXPECT_FALSE(live(scenario_of(*read_back), GetParam()).broken.empty()) << to_line(small);
    EXPECT_THAT(live(scenario_of(*read_back)).broken, IsEmpty()) << "without the bug: " << to_line(small);
    return;
  }
  FAIL() << "not found in 40 seeds";
}

std::string name_of_bug(const ::testing::TestParamInfo<PlantedBug>& tested) {
  constexpr std::array kNames{"None", "SwappedBlocks", "LostToken", "Overtaking", "ForgottenRelease"};
  return kNames.at(static_cast<std::size_t>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(Bugs, Planted,
                         ::testing::Values(PlantedBug::kSwappedBlocks, PlantedBug::kLostToken, PlantedBug::kOvertaking,
                                           PlantedBug::kForgottenRelease),
                         name_of_bug);

TEST(KeptCase, IsWrittenAndReadBack) {
  const std::string line = "seed=12 profile=tiny-pool turns=40 clients=1,4 faults=- # a note";
  const auto kept = parse_case(line);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->seed, 12U);
  EXPECT_EQ(kept->profile, Profile::kTinyPool);
  EXPECT_EQ(kept->n_turns, 40);
  EXPECT_EQ(kept->clients, (std::vector<int>{1, 4}));
  EXPECT_EQ(kept->faults, std::vector<int>());
  EXPECT_EQ(kept->note, "a note");
  EXPECT_EQ(to_line(*kept), line);
}

TEST(KeptCase, RefusesWhatIsNotOne) {
  for (const char* line : {"profile=mixed", "seed=x", "seed=1 profile=none", "seed=1 clients=1,,2", "seed=1 colour=red"})
    EXPECT_FALSE(parse_case(line)) << line;
}

TEST(KeptCase, LeavesTheOthersAsTheyWere) {
  const Scenario all = draw_scenario(77, Profile::kMixed);
  const Scenario some = scenario_of({.seed = 77, .profile = Profile::kMixed, .clients = std::vector<int>{3, 9}});
  ASSERT_EQ(some.clients.size(), 2U);
  EXPECT_EQ(some.clients[1].request.prompt, all.clients[9].request.prompt);
  EXPECT_EQ(some.clients[1].arrives, all.clients[9].arrives);
}

}  // namespace
}  // namespace mie::sim
