// Whole lives on tiny pools: random arrivals, finishes, cancellations and preemptions until all have ended. Nobody starves:
// every life ends within a bound computed from its arrivals, and every answer is the one of a request alone.
#include "tests/sched/simulated_life.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace mie::test {
namespace {

struct Arrival {
  int step;
  RequestId id;
  int n_prompt, n_output;
};

struct Scenario {
  LifeOptions options;
  std::vector<Arrival> arrivals;
  bool cancels = false;
};

class Scenarios {
 public:
  Scenarios(SchedulerKind kind, unsigned seed) : kind_(kind), random_(seed) {}

  Scenario next() {
    Scenario s;
    s.options.kind = kind_;
    s.options.block_size = between(0, 4) == 0 ? 48 : between(1, 8);
    s.options.n_blocks = between(2, 12);
    const int max_seqs = between(1, 5);
    s.options.limits = {.max_seqs = max_seqs, .max_tokens = max_seqs + between(0, 16), .max_prefill_chunk = between(1, 10)};
    s.cancels = between(0, 2) == 0;
    const int capacity = s.options.n_blocks * s.options.block_size;
    int step = 0;
    for (int i = between(1, 14); i > 0; --i) {
      step += between(0, 1) == 0 ? 0 : between(0, 6);
      const int n_prompt = between(1, std::max(1, capacity / 2));
      s.arrivals.push_back({step, RequestId(s.arrivals.size()), n_prompt, between(1, std::max(1, capacity / 2))});
    }
    if (between(0, 3) == 0) s.arrivals[s.arrivals.size() / 2].n_output = capacity + 1;  // can never fit
    return s;
  }

  int between(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

 private:
  SchedulerKind kind_;
  std::mt19937 random_;
};

// Chunked and serial: the oldest live request gets a row in every step and is never evicted. Static: no token is computed
// twice, and each step computes one at least. Continuous: between two steps that move the oldest on there is at most one
// prefill step, or its parts, for each seat.
int step_bound(const Scenario& scenario) {
  int n_tokens = 0;
  for (const Arrival& a : scenario.arrivals) n_tokens += a.n_prompt + a.n_output;
  const int factor = scenario.options.kind == SchedulerKind::kContinuous ? 1 + scenario.options.limits.max_seqs : 1;
  return scenario.arrivals.back().step + n_tokens * factor;
}

// Steps taken until idle; -1: broken or over the bound.
int live_through(const Scenario& scenario, SimulatedLife& life, Scenarios& random) {
  const int bound = step_bound(scenario);
  auto next = scenario.arrivals.begin();
  for (int step = 0; step <= bound; ++step) {
    for (; next != scenario.arrivals.end() && next->step <= step; ++next) life.arrive(next->id, next->n_prompt, next->n_output);
    if (life.idle() && next == scenario.arrivals.end()) return step;
    if (life.idle()) continue;
    life.step();
    if (!life.broken().empty()) return -1;
    if (scenario.cancels && random.between(0, 9) == 0)
      life.cancel(RequestId(static_cast<std::uint64_t>(random.between(0, static_cast<int>(scenario.arrivals.size()) - 1))));
  }
  return -1;
}

class LifeTest : public ::testing::TestWithParam<SchedulerKind> {};

TEST_P(LifeTest, EveryoneEndsWithTheAnswerOfARequestAlone) {
  Scenarios scenarios(GetParam(), 100 + static_cast<unsigned>(GetParam()));
  int n_steps = 0, n_preemptions = 0, n_rejected = 0;
  for (int i = 0; n_steps < 50'000; ++i) {
    const Scenario scenario = scenarios.next();
    SimulatedLife life(scenario.options);
    const int steps = live_through(scenario, life, scenarios);
    ASSERT_TRUE(life.broken().empty()) << "life " << i << ": " << life.broken().front();
    ASSERT_GE(steps, 0) << "life " << i << " did not end within " << step_bound(scenario) << " steps";
    const std::size_t n_ended = life.finished().size() + life.rejected().size();
    if (!scenario.cancels) ASSERT_EQ(n_ended, scenario.arrivals.size()) << "life " << i;
    for (const auto& [id, tokens] : life.finished()) {
      const Arrival& a = scenario.arrivals[id.value()];
      ASSERT_EQ(tokens, answer_of(id, a.n_prompt, a.n_output)) << "life " << i << ", request " << id;
    }
    n_steps += steps;
    n_preemptions += life.n_preemptions();
    n_rejected += static_cast<int>(life.rejected().size());
  }
  EXPECT_GT(n_rejected, 10);
  const bool preempts = GetParam() == SchedulerKind::kContinuous || GetParam() == SchedulerKind::kChunked;
  if (preempts)
    EXPECT_GT(n_preemptions, 100) << "the pools must be tiny";
  else
    EXPECT_EQ(n_preemptions, 0);
}

INSTANTIATE_TEST_SUITE_P(Schedulers, LifeTest,
                         ::testing::Values(SchedulerKind::kSerial, SchedulerKind::kStatic, SchedulerKind::kContinuous,
                                           SchedulerKind::kChunked),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(Life, AHundredLivesOnOnePoolLeakNothing) {
  SimulatedLife life({.kind = SchedulerKind::kChunked,
                      .n_blocks = 4,
                      .block_size = 16,
                      .limits = {.max_seqs = 2, .max_tokens = 64, .max_prefill_chunk = 64}});
  for (std::uint64_t id = 0; id < 100; ++id) {
    life.arrive(RequestId(id), 20, 12);
    while (!life.idle() && life.broken().empty()) life.step();
  }
  EXPECT_TRUE(life.broken().empty()) << life.broken().front();
  EXPECT_EQ(life.finished().size(), 100U);
}

}  // namespace
}  // namespace mie::test
