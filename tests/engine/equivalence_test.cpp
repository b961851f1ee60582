// However the steps are cut, every request gets the tokens that it would get alone.
#include "tests/engine/core_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;

std::vector<Request> mixed_requests(int seed, int n, int longest) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::vector<Request> requests;
  for (int i = 0; i < n; ++i) {
    const int n_prompt = 1 + static_cast<int>(random() % static_cast<unsigned>(longest / 2));
    requests.push_back(
        make_request(seed * 1000 + i, n_prompt, 1 + static_cast<int>(random() % static_cast<unsigned>(longest / 2))));
    if (i % 3 == 1) requests.back().sampling = sampling_of(1, random());
    if (i % 4 == 2) requests.back().stop_ids = {TokenId(3)};
    if (i % 8 == 2) requests.back().min_tokens = std::min(5, requests.back().max_tokens);
  }
  return requests;
}

// Lets them come in bursts, runs all to the end and holds each against its answer alone.
void expect_right_answers(const CoreSetup& setup, const std::vector<Request>& requests, const std::string& what) {
  CoreHarness harness(setup);
  std::vector<RequestId> ids;
  std::mt19937 random(5);
  for (const Request& request : requests) {
    ids.push_back(harness.submit(request));
    for (unsigned i = random() % 4; i > 0 && !harness.core.idle(); --i) {
      harness.core.step();
      harness.core.check_invariants();
    }
  }
  harness.run();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto right = expected(setup.model, requests[i]);
    EXPECT_EQ(harness.answer(ids[i]).tokens, right) << what << ", request " << i;
    harness.release(ids[i], Outcome::kComplete, static_cast<int>(right.size()));
  }
  EXPECT_THAT(not_settled(harness), IsEmpty()) << what;
}

TEST(Equivalence, OfPoliciesBlockSizesAndBudgets) {
  const auto requests = mixed_requests(1, 20, 80);
  for (const auto scheduler :
       {SchedulerKind::kSerial, SchedulerKind::kStatic, SchedulerKind::kContinuous, SchedulerKind::kChunked}) {
    for (const int block_size : {1, 4, 16, 200}) {  // 200: contiguous
      for (const int max_tokens : {8, 64}) {
        CoreSetup setup;
        setup.scheduler = scheduler;
        setup.block_size = block_size;
        setup.n_blocks = 800 / block_size;
        setup.limits = {.max_seqs = 6, .max_tokens = max_tokens, .max_prefill_chunk = 5};
        setup.model.eos = TokenId(3);
        setup.model.eos_per_mille = 100;
        expect_right_answers(setup, requests,
                             std::string(name_of(scheduler)) + ", block " + std::to_string(block_size) + ", budget " +
                                 std::to_string(max_tokens));
      }
    }
  }
}

// Requests that begin alike, in groups of choices of one prompt, come in bursts and are let go of in between, on pools from
// ample to tiny.
TEST(Equivalence, OfSharedPrefixesAndChoices) {
  double n_hits = 0, n_preemptions = 0, n_evictions = 0;
  for (int seed = 0; seed < 40; ++seed) {
    CoreSetup setup;
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const auto between = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
    setup.scheduler = static_cast<SchedulerKind>(seed % 4);
    setup.prefix_caching = between(0, 3) > 0;
    setup.keep_kv = setup.prefix_caching || between(0, 1) > 0;
    setup.n_blocks = between(0, 1) == 0 ? 24 : 100;
    setup.limits = {.max_seqs = between(1, 8), .max_tokens = between(8, 40), .max_prefill_chunk = between(2, 8)};
    CoreHarness harness(setup);
    std::vector<std::pair<RequestId, Request>> sent;
    for (int i = 0; i < 30; ++i) {
      Request request = make_request(between(0, 2), between(1, 40), between(1, 30));
      if (between(0, 4) == 0) request.cache_salt = "salt";
      for (const RequestId id : harness.submit_choices(request, between(0, 2) == 0 ? between(2, 5) : 1))
        sent.emplace_back(id, request);
      for (int steps = between(0, 6); steps > 0 && !harness.core.idle(); --steps) {
        harness.core.step();
        harness.core.check_invariants();
      }
      if (between(0, 5) == 0) {
        const auto gone = sent.begin() + between(0, static_cast<int>(sent.size()) - 1);
        EXPECT_TRUE(is_prefix(harness.answer(gone->first).tokens, expected(setup.model, gone->second))) << "seed " << seed;
        harness.release(gone->first, Outcome::kClientGone);
        sent.erase(gone);
      }
    }
    harness.run();
    for (const auto& [id, request] : sent) {
      const auto right = expected(setup.model, request);
      EXPECT_EQ(harness.answer(id).tokens, right) << "seed " << seed << ", request " << id;
      harness.release(id, Outcome::kComplete, static_cast<int>(right.size()));
    }
    EXPECT_THAT(not_settled(harness), IsEmpty()) << "seed " << seed;
    const MetricsText metrics = harness.metrics();
    n_hits += metrics.value("vllm:prefix_cache_hits_total");
    n_preemptions += metrics.value("vllm:num_preemptions_total");
    n_evictions += metrics.value("mie_prefix_evictions_total");
  }
  EXPECT_GT(n_hits, 1000);
  EXPECT_GT(n_preemptions, 20);
  EXPECT_GT(n_evictions, 1000);
}

// Prompt of 10 in chunks of 8 and 2, then 11, 12, 13 and 14 tokens again for each of the four that follow.
TEST(Equivalence, OfNoCacheAtAll) {
  CoreSetup setup;
  setup.keep_kv = setup.prefix_caching = false;
  CoreHarness harness(setup);
  const RequestId id = harness.submit(make_request(1, 10, 5));
  harness.run();
  harness.release(id, Outcome::kComplete, 5);
  EXPECT_EQ(harness.metrics().value("mie_tokens_computed_total", {{"kind", "prefill"}}), 10);
  EXPECT_EQ(harness.metrics().value("mie_tokens_computed_total", {{"kind", "recompute"}}), 10 + 11 + 12 + 13);
  EXPECT_EQ(harness.metrics().value("mie_tokens_computed_total", {{"kind", "decode"}}), 4);
  EXPECT_THAT(not_settled(harness), IsEmpty());
  setup.n_blocks = 24;
  for (const auto scheduler :
       {SchedulerKind::kSerial, SchedulerKind::kStatic, SchedulerKind::kContinuous, SchedulerKind::kChunked}) {
    setup.scheduler = scheduler;
    expect_right_answers(setup, mixed_requests(2, 12, 40), std::string(name_of(scheduler)));
  }
}

TEST(Equivalence, SurvivesPreemptionStorms) {
  for (int seed = 0; seed < 12; ++seed) {
    CoreSetup setup;
    setup.n_blocks = 24;  // 96 tokens; 8 requests of up to 80 want 640
    setup.limits = {.max_seqs = 8, .max_tokens = 24, .max_prefill_chunk = 6};
    expect_right_answers(setup, mixed_requests(100 + seed, 24, 80), "seed " + std::to_string(seed));
  }
}

TEST(Equivalence, TheStormsDoPreemptAndCountEachTokenOnce) {
  CoreSetup setup;
  setup.n_blocks = 24;
  setup.limits = {.max_seqs = 8, .max_tokens = 24, .max_prefill_chunk = 6};
  CoreHarness harness(setup);
  double n_prompt = 0;
  double n_output = 0;
  std::vector<RequestId> ids;
  for (int i = 0; i < 16; ++i) {
    ids.push_back(harness.submit(make_request(i, 10 + i, 40)));
    n_prompt += 10 + i;
    n_output += 40;
  }
  harness.run();
  const MetricsText metrics = harness.metrics();
  EXPECT_GT(metrics.value("vllm:num_preemptions_total"), 10);
  EXPECT_GT(metrics.value("mie_tokens_computed_total", {{"kind", "recompute"}}), 100);
  EXPECT_EQ(metrics.value("mie_tokens_computed_total", {{"kind", "prefill"}}), n_prompt);
  EXPECT_EQ(metrics.value("mie_tokens_computed_total", {{"kind", "decode"}}), n_output - 16);
  EXPECT_EQ(metrics.value("vllm:time_to_first_token_seconds_count"), 16);
  int n_preemptions = 0;
  for (const RequestId id : ids) n_preemptions += harness.answer(id).finish->times.n_preemptions;
  EXPECT_EQ(metrics.value("vllm:num_preemptions_total"), n_preemptions);
}

}  // namespace
}  // namespace mie::test
