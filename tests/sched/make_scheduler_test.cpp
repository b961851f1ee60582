#include "core/sched/make_scheduler.h"

#include "tests/sched/views.h"

#include <gtest/gtest.h>

#include <array>

namespace mie {
namespace {

using test::waiting;

TEST(MakeScheduler, NamesAndKindsAreOneToOne) {
  EXPECT_EQ(parse_scheduler("serial").value(), SchedulerKind::kSerial);
  EXPECT_EQ(parse_scheduler("static").value(), SchedulerKind::kStatic);
  EXPECT_EQ(parse_scheduler("continuous").value(), SchedulerKind::kContinuous);
  EXPECT_EQ(parse_scheduler("chunked").value(), SchedulerKind::kChunked);
  for (const char* name : {"serial", "static", "continuous", "chunked"})
    EXPECT_EQ(name_of(parse_scheduler(name).value()), name);
}

TEST(MakeScheduler, RefusesOtherNames) {
  for (const char* name : {"", "Serial", "chunked ", "fcfs"}) {
    const auto kind = parse_scheduler(name);
    ASSERT_TRUE(kind.has_error()) << name;
    EXPECT_EQ(kind.error().code, Errc::kConfig);
    EXPECT_EQ(kind.error().param, "sched");
    EXPECT_EQ(kind.error().message, "sched must be serial, static, continuous or chunked, got \"" + std::string(name) + '"');
  }
}

TEST(MakeScheduler, LimitsAreThoseThePolicyKeeps) {
  const StepLimits limits{.max_seqs = 64, .max_tokens = 512, .max_prefill_chunk = 256};
  EXPECT_EQ(limits_for(SchedulerKind::kSerial, limits).max_seqs, 1);
  EXPECT_EQ(limits_for(SchedulerKind::kStatic, limits).max_seqs, 64);
  EXPECT_EQ(limits_for(SchedulerKind::kChunked, limits).max_prefill_chunk, 256);
  for (const auto kind : {SchedulerKind::kSerial, SchedulerKind::kStatic, SchedulerKind::kContinuous})
    EXPECT_EQ(limits_for(kind, limits).max_prefill_chunk, 512);
}

// Three prompts of 6 tokens, one chunk at most 4, at most 3 sequences: the first step tells the four policies apart.
TEST(MakeScheduler, MakesThePolicyOfTheName) {
  const std::array seqs{waiting(1, 6, 8), waiting(2, 6, 8), waiting(3, 6, 8)};
  const KvBudget budget{.n_free_blocks = 4, .n_blocks = 4, .block_size = 4};
  const StepLimits limits{.max_seqs = 3, .max_tokens = 12, .max_prefill_chunk = 4};
  const auto rows = [&](SchedulerKind kind) {
    std::vector<int> n_tokens;
    for (const Scheduled& row : make_scheduler(kind)->plan(seqs, budget, limits).run) n_tokens.push_back(row.n_tokens);
    return n_tokens;
  };
  EXPECT_EQ(rows(SchedulerKind::kSerial), std::vector<int>({6}));
  EXPECT_EQ(rows(SchedulerKind::kStatic), std::vector<int>({6, 6}));
  EXPECT_EQ(rows(SchedulerKind::kContinuous), std::vector<int>({6, 6}));
  EXPECT_EQ(rows(SchedulerKind::kChunked), std::vector<int>({4, 4}));
}

}  // namespace
}  // namespace mie
