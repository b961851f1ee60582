// Drafts change when tokens come, not which: every answer is that of a model alone without them, and the counters add up.
#include "tests/engine/core_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;

// Of three tokens a guess is often right, and often wrong.
CoreSetup drafting(int n_drafts) {
  CoreSetup setup;
  setup.n_drafts = n_drafts;
  setup.limits = {.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 8, .draft_rows = 8};
  setup.model = {.n_vocab = 3, .eos = TokenId(2), .eos_per_mille = 20};
  return setup;
}

struct Drafted {
  double proposed = 0, accepted = 0, steps = 0;
};

// All requests to the end, each answer held against the model alone.
Drafted run(const CoreSetup& setup, const std::vector<Request>& requests) {
  CoreHarness harness(setup);
  std::vector<RequestId> ids;
  for (const Request& request : requests) ids.push_back(harness.submit(request));
  while (!harness.core.idle()) {
    harness.core.step();
    harness.core.check_invariants();
  }
  harness.run();
  double n_output = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto right = expected(setup.model, requests[i]);
    EXPECT_EQ(harness.answer(ids[i]).tokens, right) << "request " << i;
    harness.release(ids[i], Outcome::kComplete, static_cast<int>(right.size()));
    n_output += static_cast<double>(right.size());
  }
  EXPECT_THAT(not_settled(harness), IsEmpty());
  const MetricsText metrics = harness.metrics();
  EXPECT_EQ(metrics.value("vllm:generation_tokens_total"), n_output);
  const Drafted drafted{.proposed = metrics.value("vllm:spec_decode_num_draft_tokens_total"),
                        .accepted = metrics.value("vllm:spec_decode_num_accepted_tokens_total"),
                        .steps = metrics.value("mie_steps_total")};
  EXPECT_LE(metrics.value("mie_tokens_computed_total", {{"kind", "rejected"}}), drafted.proposed - drafted.accepted);
  return drafted;
}

std::vector<Request> mixed_requests(int n) {
  std::vector<Request> requests;
  for (int i = 0; i < n; ++i) {
    requests.push_back(make_request(i, 3 + i % 7, 20 + i % 11));
    if (i % 3 == 1) requests.back().sampling = sampling_of(1, static_cast<std::uint64_t>(i));
    if (i % 4 != 3) requests.back().stop_ids = {TokenId(2)};
    if (i % 5 == 2) requests.back().min_tokens = 6;
  }
  return requests;
}

TEST(Speculation, AnswersAreThoseWithoutDrafts) {
  for (const auto scheduler :
       {SchedulerKind::kSerial, SchedulerKind::kStatic, SchedulerKind::kContinuous, SchedulerKind::kChunked}) {
    for (const int block_size : {1, 4, 200}) {
      for (const int n_drafts : {1, 4, 7}) {
        CoreSetup setup = drafting(n_drafts);
        setup.scheduler = scheduler;
        setup.block_size = block_size;
        setup.n_blocks = 800 / block_size;
        SCOPED_TRACE(std::string(name_of(scheduler)) + ", block " + std::to_string(block_size) + ", drafts " +
                     std::to_string(n_drafts));
        const Drafted drafted = run(setup, mixed_requests(30));
        EXPECT_GT(drafted.accepted, 20);
        EXPECT_LT(drafted.accepted, drafted.proposed);
      }
    }
  }
}

TEST(Speculation, AnswersAreTheSameWhenBlocksAreShort) {
  CoreSetup setup = drafting(4);
  setup.n_blocks = 20;  // 80 tokens for four sequences of up to 40
  const Drafted drafted = run(setup, mixed_requests(40));
  EXPECT_GT(drafted.accepted, 20);
}

TEST(Speculation, WithoutDraftsNoneAreCounted) {
  const Drafted drafted = run(drafting(0), mixed_requests(5));
  EXPECT_EQ(drafted.proposed, 0);
}

// One token over and over: three show the loop, and from then on each step verifies four drafts that are all right.
TEST(Speculation, TokensOfALoopComeSeveralAStep) {
  CoreSetup setup = drafting(4);
  setup.model = {.n_vocab = 1};
  const Drafted drafted = run(setup, {make_request(1, 8, 50)});
  EXPECT_EQ(drafted.accepted, drafted.proposed);
  EXPECT_EQ(drafted.steps, 3 + 10);  // 47 tokens, five a step
}

TEST(Speculation, NoMoreTokensComeThanWereAskedFor) {
  CoreSetup setup = drafting(4);
  setup.model = {.n_vocab = 1};
  CoreHarness harness(setup);
  const RequestId id = harness.submit(make_request(1, 8, 11));
  for (const std::size_t n_tokens : {1U, 2U, 3U, 8U, 11U}) {
    harness.core.step();
    EXPECT_EQ(harness.answer(id).tokens.size(), n_tokens);
  }
  EXPECT_TRUE(harness.core.idle());
  EXPECT_EQ(harness.answer(id).finish->reason, FinishReason::kLength);
  harness.release(id, Outcome::kComplete, 11);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(Speculation, WrongDraftsGrowShortAndRightOnesLong) {
  DraftLength length(7);
  EXPECT_EQ(length.next(), 7);
  length.verified(7, 0);
  EXPECT_EQ(length.next(), 3);
  length.verified(3, 1);
  EXPECT_EQ(length.next(), 3);
  length.verified(3, 3);
  EXPECT_EQ(length.next(), 4);
  length.verified(2, 0);  // no more could be guessed
  EXPECT_EQ(length.next(), 1);
  length.verified(1, 0);
  EXPECT_EQ(length.next(), 1);
  for (int i = 0; i < 10; ++i) length.verified(length.next(), length.next());
  EXPECT_EQ(length.next(), 7);
}

}  // namespace
}  // namespace mie::test
