// The six requests whose steps are known by hand for every policy and cap, through the whole of `mie bench run` on the
// simulated engine.
#include "tests/bench/engine/sim_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

namespace mie::bench {
namespace {

struct Known {
  std::string sched;
  int cap;
  std::optional<int> decode_forwards, steps;  // unset: not in the tables
};

// 176 tokens, 6 of them from prefill, hence 170 decode rows.
const std::vector<Known> kKnown = {
    {"serial", 2, 170, 176},   {"static", 1, 170, {}},    {"static", 2, 141, 144},    {"static", 3, 110, {}},
    {"static", 4, 110, {}},    {"static", 6, 63, {}},     {"continuous", 1, 170, {}}, {"continuous", 2, 93, 98},
    {"continuous", 3, 69, {}}, {"continuous", 4, 63, {}}, {"continuous", 6, 63, {}},  {"chunked", 1, {}, 176},
    {"chunked", 2, 95, 96},    {"chunked", 3, {}, 72},    {"chunked", 4, {}, 64},     {"chunked", 6, {}, 64},
};

WorkloadSpec six_requests(const std::vector<Known>& arms, bool prefix_caching) {
  WorkloadSpec spec = shipped("six_requests");
  spec.repetitions.n = 1;
  spec.arms.clear();
  for (const Known& known : arms) {
    ArmSpec arm{.name = fmt::format("{}-{}", known.sched, known.cap), .server = {}};
    arm.server["sched"].held = known.sched;
    arm.server["max_num_seqs"].held = std::int64_t{known.cap};
    arm.server["prefix_caching"].held = prefix_caching;
    spec.arms.push_back(std::move(arm));
  }
  return spec;
}

class SixRequests : public ::testing::TestWithParam<bool> {};

TEST_P(SixRequests, TakeTheStepsThatAreKnownByHand) {
  const RunResult result = simulated(six_requests(kKnown, GetParam()));
  ASSERT_EQ(result.validity.state, RunState::kOk) << result.validity.reasons.front();
  ASSERT_EQ(result.repetitions.size(), kKnown.size());
  for (std::size_t i = 0; i < kKnown.size(); ++i) {
    const Known& known = kKnown[i];
    const Repetition& load = result.repetitions[i];
    ASSERT_TRUE(load.steps) << load.arm;
    const StepCounts& counts = load.steps->counts;
    if (known.decode_forwards) EXPECT_EQ(counts.decode_forwards, *known.decode_forwards) << load.arm;
    if (known.steps) EXPECT_EQ(counts.steps, *known.steps) << load.arm;
    EXPECT_EQ(counts.decode_rows, 170) << load.arm;
    EXPECT_EQ(counts.prefill_rows, 6 * 32) << load.arm;
    EXPECT_EQ(counts.wasted_rows, 0) << load.arm;
    EXPECT_EQ(load.steps->lines.size(), static_cast<std::size_t>(counts.steps)) << load.arm;
    EXPECT_EQ(load.steps->n_lost, 0) << load.arm;
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutPrefixCache, SixRequests, ::testing::Values(false, true));

TEST(StepCounts, OccupancyIsOfDecodeForwards) {
  const RunResult result = simulated(six_requests({{"continuous", 2, {}, {}}, {"chunked", 2, {}, {}}}, true));
  ASSERT_EQ(result.repetitions.size(), 2U);
  EXPECT_NEAR(result.repetitions[0].steps->counts.occupancy(), 1.828, 5e-4) << "170 rows in 93 forwards";
  EXPECT_NEAR(result.repetitions[1].steps->counts.occupancy(), 1.789, 5e-4) << "in 95";
}

}  // namespace
}  // namespace mie::bench
