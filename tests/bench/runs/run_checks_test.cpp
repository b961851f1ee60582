// What makes a run invalid: each test breaks one thing in a run that is right otherwise.
#include "bench/run/checks.h"
#include "bench/run/validity.h"
#include "tests/bench/runs/made_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::bench::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

const Check& named(const std::vector<Check>& checks, std::string_view name) {
  const auto found = std::ranges::find(checks, name, &Check::name);
  if (found == checks.end()) throw std::runtime_error("no such check");
  return *found;
}

std::string first_failure(const RunResult& run, std::string_view name) {
  const std::vector<Check> checks = check_run(run);
  const Check& check = named(checks, name);
  return check.failed.empty() ? "" : check.failed.front();
}

Validity judged(RunResult run) {
  run.window = measured_window(run);
  run.checks = check_run(run);
  return judge(run);
}

TEST(RunChecks, ARightRunFailsNone) {
  const RunResult run = made_run();
  EXPECT_THAT(check_run(run), Each(Field(&Check::n_failed, 0)));
  EXPECT_EQ(named(check_run(run), "finish_reason").n_checked, 4);
  EXPECT_EQ(named(check_run(run), "self_consistency").n_checked, 2) << "the second load against the first";
  EXPECT_EQ(named(check_run(run), "counters").n_checked, 2) << "each load";
  EXPECT_EQ(judged(run).state, RunState::kOk);
}

TEST(RunChecks, AnAnswerThatWasToBeFull) {
  RunResult run = made_run();
  run.records[1].finish_reason = "stop";
  EXPECT_EQ(first_failure(run, "finish_reason"), "req-00001 of repetition 0: finish_reason is stop, the answer was to be full");
  EXPECT_EQ(judged(run).state, RunState::kMismatch);
  run.spec.output.exact = false;
  EXPECT_EQ(first_failure(run, "finish_reason"), "");
}

TEST(RunChecks, UsageThatEventsDoNotBearOut) {
  RunResult run = made_run();
  run.records[0].output_tokens = 4;
  EXPECT_EQ(first_failure(run, "usage_matches_events"), "req-00000 of repetition 0: 3 tokens in events, 4 of usage");
}

TEST(RunChecks, StampsThatDoNotAscend) {
  RunResult run = made_run();
  std::swap(run.records[2].events[0].at_ns, run.records[2].events[1].at_ns);
  EXPECT_EQ(first_failure(run, "monotone_stamps"), "req-00000 of repetition 1: its token stamps do not ascend");
  run = made_run();
  run.records[2].send_ns = run.records[2].intended_ns - 1;
  EXPECT_EQ(first_failure(run, "monotone_stamps"), "req-00000 of repetition 1: its stamps do not ascend");
}

TEST(RunChecks, OneRequestWithOtherTokensInAnotherLoad) {
  RunResult run = made_run();
  run.records[3].tokens[1] = TokenId(99);
  EXPECT_EQ(first_failure(run, "self_consistency"), "req-00001 of repetition 1: other tokens than req-00001 of repetition 0");
}

TEST(RunChecks, ACounterThatIsOffByOneRequest) {
  RunResult run = made_run();
  run.repetitions[1].after["vllm:prompt_tokens_total"] += 10;
  EXPECT_EQ(first_failure(run, "counters"), "repetition 1: prompt tokens: the client counts 20, the server 30");
  EXPECT_EQ(judged(run).state, RunState::kMismatch);
}

TEST(RunChecks, PromptTokensThatAServerCountsApartWhenTheyAreCachedAreBothThere) {
  const MetricSums before = {{"llamacpp:prompt_tokens_total", 100}, {"llamacpp:prompt_tokens_cached_total", 7}};
  const MetricSums after = {{"llamacpp:prompt_tokens_total", 164}, {"llamacpp:prompt_tokens_cached_total", 1031}};
  EXPECT_EQ(deltas_of(before, after).prompt_tokens, 64 + 1024);
}

TEST(RunChecks, AServerWithoutCountersIsNotChecked) {
  RunResult run = made_run();
  for (Repetition& repetition : run.repetitions) {
    repetition.before.clear();
    repetition.after.clear();
  }
  EXPECT_EQ(named(check_run(run), "counters").n_checked, 0);
}

TEST(RunValidity, ALoadThatWasStoppedIsPartialWhateverElseIsWrong) {
  RunResult run = made_run();
  run.repetitions[1].broken_off = "stopped";
  run.records[1].finish_reason = "stop";
  const Validity validity = judged(run);
  EXPECT_EQ(validity.state, RunState::kPartial);
  EXPECT_THAT(validity.reasons, ElementsAre("repetition 1: stopped", HasSubstr("finish_reason: 1 of 4 failed")));
}

TEST(RunValidity, ALoadThatIsMissing) {
  RunResult run = made_run();
  run.repetitions.pop_back();
  EXPECT_THAT(judged(run).reasons, ElementsAre("1 of 2 loads were run"));
}

TEST(RunValidity, ALateClient) {
  RunResult run = made_run();
  run.repetitions[0].client.lateness_p99 = 0.0011;
  EXPECT_EQ(judged(run).state, RunState::kClientBound);
}

TEST(RunValidity, AMachineThatChanged) {
  RunResult run = made_run();
  run.probe_before.emplace();
  run.probe_before->read_gbps = 30;
  run.probe_after = run.probe_before;
  EXPECT_EQ(judged(run).state, RunState::kOk);
  run.probe_after->read_gbps = 20;
  EXPECT_EQ(judged(run).state, RunState::kDisturbed);
  run.probe_after->read_gbps = 30;
  run.probe_after->foreign_cpu = 0.06;
  EXPECT_EQ(judged(run).state, RunState::kDisturbed);
}

TEST(RunValidity, WithRetriesEachRepetitionIsHeldAgainstTheProbesAroundIt) {
  RunResult run = made_run();
  run.spec.repetitions.retries = 1;
  run.probe_before.emplace();
  run.probe_before->read_gbps = 30;
  run.probe_after = run.probe_before;
  run.probe_after->read_gbps = 20;  // it moved while a repetition ran that was measured again
  EXPECT_EQ(judged(run).state, RunState::kOk);
  run.repetitions[0].disturbed = "read bandwidth moved";
  EXPECT_EQ(judged(run).state, RunState::kDisturbed);
}

TEST(RunValidity, TheWindowIsFromTheFirstMeasuredRequestToTheLastEnd) {
  RunResult run = made_run();
  EXPECT_EQ(measured_window(run).begin_ns, ns(1.0));
  EXPECT_EQ(measured_window(run).end_ns, ns(12.6) + 1);
  run.records[0].warmup = true;
  EXPECT_EQ(measured_window(run).begin_ns, ns(1.5));
  run.spec.steady = {.mode = SteadyMode::kFixed, .skip_s = 2, .tail_s = 1};
  EXPECT_EQ(measured_window(run).begin_ns, ns(3.5));
  EXPECT_EQ(measured_window(run).end_ns, ns(11.6) + 1);
}

}  // namespace
}  // namespace mie::bench::test
