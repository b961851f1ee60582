// Whole lives of a few requests, every row of every step worked out by hand.
#include "tests/sched/simulated_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace mie::test {
namespace {

using ::testing::ElementsAre;

struct SmallRequest {
  int n_prompt, n_output;
};

struct Lived {
  std::vector<StepPlan> plans;
  std::vector<std::vector<TokenId>> answers;  // by request

  [[nodiscard]] std::vector<std::size_t> rows() const {
    std::vector<std::size_t> rows;
    for (const StepPlan& plan : plans) rows.push_back(plan.run.size());
    return rows;
  }
};

// All there at once, `cap` at a time, in more blocks than they need.
Lived live(SchedulerKind kind, int cap, const std::vector<SmallRequest>& requests) {
  SimulatedLife life(
      {.kind = kind, .n_blocks = 64, .block_size = 16, .limits = {.max_seqs = cap, .max_tokens = 64, .max_prefill_chunk = 64}});
  for (std::size_t i = 0; i < requests.size(); ++i) life.arrive(RequestId(i), requests[i].n_prompt, requests[i].n_output);
  Lived lived;
  while (!life.idle() && life.broken().empty() && lived.plans.size() < 100) lived.plans.push_back(life.step());
  EXPECT_TRUE(life.broken().empty()) << life.broken().front();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& tokens = life.finished().at(RequestId(i));
    EXPECT_EQ(tokens, answer_of(RequestId(i), requests[i].n_prompt, requests[i].n_output)) << i;
    lived.answers.push_back(tokens);
  }
  return lived;
}

std::vector<std::uint64_t> ids_of(const StepPlan& plan) {
  std::vector<std::uint64_t> ids;
  for (const Scheduled& row : plan.run) ids.push_back(row.id.value());
  return ids;
}

TEST(SmallLives, TwoRequestsOfAStaticBatchFinishWithThreeTokens) {
  const Lived lived = live(SchedulerKind::kStatic, 2, {{4, 3}, {4, 3}});
  EXPECT_THAT(lived.rows(), ElementsAre(2, 2, 2));
  for (const auto& answer : lived.answers) EXPECT_EQ(answer.size(), 4U + 3U);
}

TEST(SmallLives, FiveRequestsInStaticBatchesOfTwoAllFinish) {
  const Lived lived = live(SchedulerKind::kStatic, 2, {{4, 3}, {4, 3}, {4, 3}, {4, 3}, {4, 3}});
  EXPECT_THAT(lived.rows(), ElementsAre(2, 2, 2, 2, 2, 2, 1, 1, 1));
}

// The first has its two tokens after two steps; the third takes its place in the next one and is done with the second.
TEST(SmallLives, TheNextInLineTakesTheFinishedOnesPlace) {
  const Lived lived = live(SchedulerKind::kChunked, 2, {{4, 2}, {4, 4}, {4, 2}});
  ASSERT_EQ(lived.plans.size(), 4U);
  EXPECT_THAT(ids_of(lived.plans[0]), ElementsAre(0, 1));
  EXPECT_THAT(ids_of(lived.plans[1]), ElementsAre(0, 1));
  EXPECT_THAT(ids_of(lived.plans[2]), ElementsAre(1, 2));
  EXPECT_THAT(ids_of(lived.plans[3]), ElementsAre(1, 2));
}

TEST(SmallLives, ARaggedBatchShrinksAsItsMembersEnd) {
  const Lived lived = live(SchedulerKind::kChunked, 3, {{4, 2}, {7, 3}, {5, 4}});
  EXPECT_THAT(lived.rows(), ElementsAre(3, 3, 2, 1));
  std::vector<std::pair<int, int>> first_decodes;  // position, rows
  for (const Scheduled& row : lived.plans[1].run) first_decodes.emplace_back(row.first_position, row.n_tokens);
  EXPECT_THAT(first_decodes, ElementsAre(std::pair(4, 1), std::pair(7, 1), std::pair(5, 1)));
}

// The first token comes with the prefill, so five tokens take four decodes.
TEST(SmallLives, OnePrefillThenOneDecodeForEachFurtherToken) {
  const Lived lived = live(SchedulerKind::kSerial, 1, {{4, 5}});
  std::vector<std::pair<int, int>> steps;  // position, rows
  for (const StepPlan& plan : lived.plans) {
    ASSERT_EQ(plan.run.size(), 1U);
    EXPECT_TRUE(plan.run.front().samples);
    steps.emplace_back(plan.run.front().first_position, plan.run.front().n_tokens);
  }
  EXPECT_THAT(steps, ElementsAre(std::pair(0, 4), std::pair(4, 1), std::pair(5, 1), std::pair(6, 1), std::pair(7, 1)));
}

}  // namespace
}  // namespace mie::test
