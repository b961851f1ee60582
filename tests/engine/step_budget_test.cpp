#include "core/engine/step_budget.h"

#include "tests/engine/core_harness.h"

#include <gtest/gtest.h>

#include <limits>

namespace mie::test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;

constexpr StepLimits kMost = {.max_seqs = 64, .max_tokens = 512, .max_prefill_chunk = 256};

SeqView decoding(std::uint64_t id) {
  return {.id = RequestId(id), .running = true, .n_prompt = 4, .n_total = 6, .n_computed = 5, .n_blocks = 2, .max_total = 20};
}
SeqView prefilling(std::uint64_t id) {
  return {.id = RequestId(id), .running = true, .n_prompt = 900, .n_total = 900, .n_computed = 256, .max_total = 999};
}

int rows(const StepBudget& budget, const std::vector<SeqView>& seqs) { return budget.limits(kMost, seqs).max_tokens; }

TEST(StepBudget, WorkedExample) {
  EXPECT_EQ(rows(StepBudget(100ms, 500us), {decoding(1), decoding(2), decoding(3), prefilling(4)}), 200);
}

TEST(StepBudget, ConcernsOnlyThoseWhoWaitForANextToken) {
  EXPECT_EQ(rows(StepBudget(100ms, 500us), {prefilling(4)}), 512);
  EXPECT_EQ(rows(StepBudget(100ms, 500us), {}), 512);
  SeqView waiting = decoding(1);
  waiting.running = false;
  EXPECT_EQ(rows(StepBudget(100ms, 500us), {waiting, prefilling(4)}), 512);
}

TEST(StepBudget, NeverTakesTheRowsOfDecodesNorAllOfThePrompts) {
  EXPECT_EQ(rows(StepBudget(1ms, 500us), {decoding(1), decoding(2), prefilling(4)}), 2 + 16);
}

TEST(StepBudget, WithoutAWantedTimeOrAKnownCostIsNoLimit) {
  EXPECT_EQ(rows(StepBudget(0ms, 500us), {decoding(1)}), 512);
  EXPECT_EQ(rows(StepBudget(100ms, 0us), {decoding(1)}), 512);
  EXPECT_EQ(rows(StepBudget(1000ms, 500us), {decoding(1)}), 512) << "never more than the options allow";
}

TEST(StepBudget, LearnsFromStepsOfManyRows) {
  StepBudget budget(100ms, 0us);
  budget.ran(31, 310ms);  // small steps cost the reading of the weights
  EXPECT_EQ(budget.row_time(), 0us);
  budget.ran(100, 100ms);  // 1 ms a row
  EXPECT_EQ(budget.row_time(), 1ms);
  budget.ran(100, 900ms);  // an eighth of the difference: 1 + 8 / 8
  EXPECT_EQ(budget.row_time(), 2ms);
  EXPECT_EQ(rows(budget, {decoding(1)}), 50);
}

TEST(StepBudget, RowsWithinATimeAreTwiceThoseMeasured) {
  EXPECT_EQ(StepBudget(0ms, 500us).rows_within(10ms), 40);
  EXPECT_EQ(StepBudget(0ms, 500us).rows_within(499us), 0);
  EXPECT_EQ(StepBudget(0ms, 500us).rows_within(-1ms), 0);
  EXPECT_EQ(StepBudget(0ms, 0us).rows_within(1ms), std::numeric_limits<int>::max()) << "not known";
  EXPECT_EQ(StepBudget(0ms, 1us).rows_within(std::chrono::hours(10)), std::numeric_limits<int>::max());
}

// One sequence decodes while a prompt of 600 comes: chunks of at most 99 rows beside its own, and the same tokens.
TEST(StepBudget, CutsPromptsBesideADecodeInTheEngine) {
  const CoreSetup setup{.limits = kMost, .n_blocks = 400, .max_model_len = 1000};
  CoreHarness harness(setup);
  harness.options.step_time = 100ms;
  harness.options.row_time = 1ms;
  EngineCore core(harness.options, {*harness.scheduler, harness.runner, harness.clock}, harness.counters);
  int largest = 0, n_steps = 0;
  harness.runner.set_before_step([&](int, const StepBatch& batch) {
    largest = std::max(largest, batch.n_tokens());
    harness.clock.advance(batch.n_tokens() * 1ms);
    ++n_steps;
  });
  const auto submission = [&](Request request, std::uint64_t id) {
    request.id = RequestId(id);
    const auto shared = std::make_shared<const Request>(std::move(request));
    return Submission{shared, std::make_shared<TokenStream>(shared->id, harness.io.get_executor()), {}};
  };
  Mail first;
  first.submitted.push_back(submission(make_request(1, 10, 100), 901));
  core.take(std::move(first));
  core.step();
  Mail second;
  second.submitted.push_back(submission(make_request(2, 600, 5), 902));
  core.take(std::move(second));
  largest = n_steps = 0;
  for (int i = 0; i < 7; ++i) core.step();
  EXPECT_EQ(largest, 100);
  EXPECT_EQ(n_steps, 7) << "600 = 6 x 99 + 6";
}

}  // namespace
}  // namespace mie::test
