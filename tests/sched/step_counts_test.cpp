// Exact step counts of the published six-request workload: prompt 32, outputs 8 32 64 16 48 8, all there at once.
#include "tests/sched/simulated_life.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace mie::test {
namespace {

constexpr int kPrompt = 32;
constexpr std::array kOutputs{8, 32, 64, 16, 48, 8};

struct Counts {
  int steps = 0;
  int decode_forwards = 0;  // steps with a decode row
  int decode_rows = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << c.steps << " steps, " << c.decode_forwards << " decode forwards, " << c.decode_rows << " decode rows";
  }
};

Counts count(SchedulerKind kind, int cap) {
  SimulatedLife life({.kind = kind,
                      .n_blocks = 64,
                      .block_size = 32,
                      .limits = {.max_seqs = cap, .max_tokens = 512, .max_prefill_chunk = 256}});
  for (std::size_t i = 0; i < kOutputs.size(); ++i) life.arrive(RequestId(i), kPrompt, kOutputs[i]);
  Counts counts;
  while (!life.idle() && life.broken().empty() && counts.steps < 1000) {
    const StepPlan plan = life.step();
    const auto n = std::count_if(plan.run.begin(), plan.run.end(), [](const Scheduled& row) { return row.first_position > 0; });
    ++counts.steps;
    counts.decode_forwards += n > 0 ? 1 : 0;
    counts.decode_rows += static_cast<int>(n);
  }
  EXPECT_TRUE(life.broken().empty()) << life.broken().front();
  EXPECT_EQ(life.finished().size(), kOutputs.size());
  return counts;
}

TEST(StepCounts, OneRequestAtATime) {
  EXPECT_EQ(count(SchedulerKind::kSerial, 2), (Counts{.steps = 176, .decode_forwards = 170, .decode_rows = 170}));
}

TEST(StepCounts, StaticBatches) {
  // 31 + 63 + 47 decode forwards and one prefill for each of the three batches.
  EXPECT_EQ(count(SchedulerKind::kStatic, 2), (Counts{.steps = 144, .decode_forwards = 141, .decode_rows = 170}));
  EXPECT_EQ(count(SchedulerKind::kStatic, 1).decode_forwards, 170);
  EXPECT_EQ(count(SchedulerKind::kStatic, 3).decode_forwards, 110);
  EXPECT_EQ(count(SchedulerKind::kStatic, 4).decode_forwards, 110);
  EXPECT_EQ(count(SchedulerKind::kStatic, 6).decode_forwards, 63);
}

TEST(StepCounts, ContinuousWithPrefillStepsOfTheirOwn) {
  EXPECT_EQ(count(SchedulerKind::kContinuous, 2), (Counts{.steps = 98, .decode_forwards = 93, .decode_rows = 170}));
  EXPECT_EQ(count(SchedulerKind::kContinuous, 1).decode_forwards, 170);
  EXPECT_EQ(count(SchedulerKind::kContinuous, 3).decode_forwards, 69);
  EXPECT_EQ(count(SchedulerKind::kContinuous, 4).decode_forwards, 63);
  EXPECT_EQ(count(SchedulerKind::kContinuous, 6).decode_forwards, 63);
}

TEST(StepCounts, ChunkedPrefillSharesStepsWithDecodes) {
  EXPECT_EQ(count(SchedulerKind::kChunked, 2), (Counts{.steps = 96, .decode_forwards = 95, .decode_rows = 170}));
  EXPECT_EQ(count(SchedulerKind::kChunked, 1).steps, 176);
  EXPECT_EQ(count(SchedulerKind::kChunked, 3).steps, 72);
  EXPECT_EQ(count(SchedulerKind::kChunked, 4).steps, 64);
  EXPECT_EQ(count(SchedulerKind::kChunked, 6).steps, 64);
}

}  // namespace
}  // namespace mie::test
