// Requests that want their prompt's log-probabilities: each position once and right, however the steps are cut.
#include "tests/engine/core_harness.h"
#include "tests/fakes/conservation_laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;

Request scored_request(int seed, int n_prompt, int max_tokens, int n_top = 2) {
  Request request = make_request(seed, n_prompt, max_tokens);
  request.n_prompt_logprobs = n_top;
  return request;
}

// Token, log-probability, rank and the best ones, for comparison.
using Told = std::tuple<TokenId, float, int, std::vector<std::pair<TokenId, float>>>;

std::vector<Told> told(const std::vector<Sampled>& scores) {
  std::vector<Told> all;
  for (const Sampled& scored : scores) {
    std::vector<std::pair<TokenId, float>> top;
    for (const TopLogprob& one : scored.top) top.emplace_back(one.token, one.logprob);
    all.emplace_back(scored.token, scored.logprob, scored.rank, std::move(top));
  }
  return all;
}

std::vector<Told> expected_scores(const CoreSetup& setup, const Request& request) {
  if (!request.n_prompt_logprobs) return {};
  return told(FakeRunner::expected_scores(setup.model, request.prompt, *request.n_prompt_logprobs));
}

// Every second request is scored, some of these want no token.
std::vector<Request> mixed_requests(int seed, int n) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::vector<Request> requests;
  for (int i = 0; i < n; ++i) {
    requests.push_back(make_request(seed * 1000 + i, 1 + static_cast<int>(random() % 40), 1 + static_cast<int>(random() % 40)));
    if (i % 2 == 0) continue;
    requests.back().n_prompt_logprobs = static_cast<int>(random() % 3);
    if (i % 3 == 0) requests.back().max_tokens = 0;
  }
  return requests;
}

struct Outcomes {
  int n_preemptions = 0;  // of scored requests
  std::size_t n_logits = 0, n_wanted = 0;
};

// Runs all to the end and holds each against its answer alone.
Outcomes expect_right_answers(const CoreSetup& setup, const std::vector<Request>& requests, const std::string& what) {
  CoreHarness harness(setup);
  Outcomes outcomes;
  harness.runner.set_before_step([&](int, const StepBatch& batch) { outcomes.n_logits += batch.logits_rows.size(); });
  std::vector<RequestId> ids;
  for (const Request& request : requests) {
    ids.push_back(harness.submit(request));
    if (ids.size() % 3 == 0 && !harness.core.idle()) harness.core.step();
  }
  harness.run();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto right = expected(setup.model, requests[i]);
    const auto scores = expected_scores(setup, requests[i]);
    const Answer& answer = harness.answer(ids[i]);
    EXPECT_EQ(told(answer.prompt), scores) << what << ", request " << i;
    EXPECT_EQ(answer.tokens, right) << what << ", request " << i;
    EXPECT_EQ(answer.finish->reason, FinishReason::kLength);
    if (requests[i].wants_prompt_logits()) outcomes.n_preemptions += answer.finish->times.n_preemptions;
    outcomes.n_wanted += scores.size() + right.size();
    harness.release(ids[i], Outcome::kComplete, static_cast<int>(right.size()));
  }
  EXPECT_THAT(not_settled(harness), IsEmpty()) << what;
  return outcomes;
}

TEST(PromptLogprobs, AreRightForEveryPolicyAndChunk) {
  const auto requests = mixed_requests(1, 24);
  for (const auto scheduler :
       {SchedulerKind::kSerial, SchedulerKind::kStatic, SchedulerKind::kContinuous, SchedulerKind::kChunked}) {
    for (const int chunk : {1, 3, 8, 64}) {
      CoreSetup setup;
      setup.scheduler = scheduler;
      setup.limits = {.max_seqs = 6, .max_tokens = 64, .max_prefill_chunk = chunk};
      const auto outcomes = expect_right_answers(setup, requests, std::string(name_of(scheduler)) + std::to_string(chunk));
      EXPECT_EQ(outcomes.n_logits, outcomes.n_wanted) << "no logits that nobody asked for";
    }
  }
}

TEST(PromptLogprobs, ComeOnceInPreemptionStorms) {
  int n_preemptions = 0;
  for (int seed = 0; seed < 12; ++seed) {
    CoreSetup setup;
    setup.n_blocks = 24;  // 96 tokens; 8 requests of up to 80 want 640
    setup.limits = {.max_seqs = 8, .max_tokens = 24, .max_prefill_chunk = 6};
    const auto outcomes = expect_right_answers(setup, mixed_requests(100 + seed, 24), "seed " + std::to_string(seed));
    n_preemptions += outcomes.n_preemptions;
    EXPECT_EQ(outcomes.n_logits, outcomes.n_wanted) << "what is computed again is not scored again";
  }
  EXPECT_GT(n_preemptions, 20);
}

// One is evicted in the middle of its prompt, after some of its scores have left.
TEST(PromptLogprobs, GoOnWhereAnEvictionInThePromptStoppedThem) {
  CoreSetup setup;
  setup.n_blocks = 12;  // 48 tokens: the first takes up to 40
  setup.limits = {.max_seqs = 2, .max_tokens = 4, .max_prefill_chunk = 1};
  CoreHarness harness(setup);
  const Request first = make_request(1, 4, 36);
  const RequestId old = harness.submit(first);
  for (int i = 0; i < 6; ++i) harness.core.step();
  const Request second = scored_request(2, 28, 1);
  const RequestId young = harness.submit(second);
  std::size_t n_before = 0;
  while (harness.metrics().value("vllm:num_preemptions_total") == 0) {
    ASSERT_FALSE(harness.core.idle()) << "nobody was evicted";
    n_before = harness.answer(young).prompt.size();
    harness.core.step();
  }
  EXPECT_GT(n_before, 0U);
  EXPECT_LT(n_before, 27U);
  EXPECT_TRUE(harness.answer(young).tokens.empty());
  harness.run();
  EXPECT_EQ(told(harness.answer(young).prompt), expected_scores(setup, second));
  EXPECT_EQ(harness.answer(young).tokens, expected(setup.model, second));
  harness.release(old, Outcome::kComplete, 36);
  harness.release(young, Outcome::kComplete, 1);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(PromptLogprobs, LeaveAsTheirChunkIsComputed) {
  CoreHarness harness({.limits = {.max_seqs = 4, .max_tokens = 16, .max_prefill_chunk = 4}});
  const RequestId id = harness.submit(scored_request(3, 10, 2));
  harness.core.step();
  EXPECT_EQ(harness.answer(id).prompt.size(), 4U) << "rows 0 … 3 tell of tokens 1 … 4";
  harness.core.step();
  EXPECT_EQ(harness.answer(id).prompt.size(), 8U);
  EXPECT_TRUE(harness.answer(id).tokens.empty());
  harness.core.step();
  EXPECT_EQ(harness.answer(id).prompt.size(), 9U);
  EXPECT_EQ(harness.answer(id).tokens.size(), 1U);
}

TEST(PromptLogprobs, AloneEndWithThePrompt) {
  for (const int n_prompt : {1, 2, 8, 9, 30}) {
    CoreHarness harness;
    const Request request = scored_request(n_prompt, n_prompt, 0);
    const RequestId id = harness.submit(request);
    harness.run();
    const Answer& answer = harness.answer(id);
    EXPECT_EQ(told(answer.prompt), expected_scores(harness.setup, request));
    EXPECT_TRUE(answer.tokens.empty());
    EXPECT_EQ(answer.finish->reason, FinishReason::kLength);
    EXPECT_FALSE(answer.finish->times.first_token);
    EXPECT_TRUE(answer.finish->times.prefill_end);
    EXPECT_EQ(harness.metrics().value("vllm:generation_tokens_total"), 0);
    EXPECT_EQ(harness.metrics().value("vllm:prompt_tokens_total"), n_prompt);
    EXPECT_EQ(harness.metrics().value("mie_choices_without_token_total"), 1);
    harness.release(id, Outcome::kComplete, 0);
    EXPECT_THAT(not_settled(harness), IsEmpty()) << n_prompt;
  }
}

TEST(PromptLogprobs, MayFillTheContextWithThePrompt) {
  CoreHarness harness({.n_blocks = 5, .max_model_len = 20});
  const RequestId id = harness.submit(scored_request(1, 20, 0));
  harness.run();
  EXPECT_EQ(harness.answer(id).prompt.size(), 19U);
  harness.release(id, Outcome::kComplete, 0);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(PromptLogprobs, OfAFailedStepNeverArrive) {
  int n_failed = 1;
  for (int n = 0; n_failed > 0; ++n) {  // until the step that fails is after the last
    ASSERT_LT(n, 100);
    CoreHarness harness({.limits = {.max_seqs = 2, .max_tokens = 8, .max_prefill_chunk = 4}});
    harness.runner.set_faults({{n, FakeFault::Kind::kNonFinite}});
    std::vector<Request> requests;
    std::vector<RequestId> ids;
    for (int i = 0; i < 4; ++i) ids.push_back(harness.submit(requests.emplace_back(scored_request(i, 9 + i, i))));
    harness.run();
    n_failed = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Answer& answer = harness.answer(ids[i]);
      auto right = expected_scores(harness.setup, requests[i]);
      const bool failed = answer.finish->reason == FinishReason::kError;
      n_failed += failed ? 1 : 0;
      if (failed) {
        ASSERT_LE(answer.prompt.size(), right.size());
        right.resize(answer.prompt.size());
      }
      EXPECT_EQ(told(answer.prompt), right) << "step " << n << ", request " << i;
      harness.release(ids[i], failed ? Outcome::kError : Outcome::kComplete, static_cast<int>(answer.tokens.size()));
    }
    EXPECT_THAT(not_settled(harness), IsEmpty()) << "step " << n;
    if (n < 8) EXPECT_GT(n_failed, 0) << "3 steps for the first two prompts, 3 for the others, 2 for the rest of their tokens";
  }
}

TEST(PromptLogprobs, StandBesideDrafts) {
  CoreSetup setup;
  setup.n_drafts = 4;
  setup.limits = {.max_seqs = 6, .max_tokens = 32, .max_prefill_chunk = 8, .draft_rows = 8};
  setup.model.n_vocab = 3;  // so few tokens repeat themselves, and are guessed
  std::vector<Request> requests = mixed_requests(7, 16);
  for (Request& request : requests) {
    for (TokenId& token : request.prompt) token = TokenId(token.value() % 3);
  }
  CoreHarness harness(setup);
  std::vector<RequestId> ids;
  for (const Request& request : requests) ids.push_back(harness.submit(request));
  harness.run();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(told(harness.answer(ids[i]).prompt), expected_scores(setup, requests[i]));
    EXPECT_EQ(harness.answer(ids[i]).tokens, expected(setup.model, requests[i]));
    harness.release(ids[i], Outcome::kComplete, requests[i].max_tokens);
  }
  EXPECT_GT(harness.metrics().value("vllm:spec_decode_num_accepted_tokens_total"), 10);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

// Nothing is looked up for them, but what they compute is there for others.
TEST(PromptLogprobs, AreComputedWhateverIsCached) {
  CoreHarness harness;
  const Request plain = make_request(1, 13, 2);
  const Request scored = scored_request(1, 13, 2);
  for (int round = 0; round < 2; ++round) {
    const RequestId id = harness.submit(scored);
    harness.run();
    EXPECT_EQ(told(harness.answer(id).prompt), expected_scores(harness.setup, scored));
    EXPECT_EQ(harness.answer(id).tokens, expected(harness.setup.model, scored));
    EXPECT_EQ(harness.answer(id).finish->times.n_cached_tokens, 0);
    harness.release(id, Outcome::kComplete, 2);
  }
  EXPECT_EQ(harness.metrics().value("vllm:prefix_cache_queries_total"), 0);
  const RequestId other = harness.submit(plain);
  harness.run();
  EXPECT_EQ(harness.answer(other).finish->times.n_cached_tokens, 12);
  EXPECT_EQ(harness.answer(other).tokens, expected(harness.setup.model, plain));
  harness.release(other, Outcome::kComplete, 2);
  EXPECT_EQ(harness.metrics().value("vllm:prefix_cache_hits_total"), 12);
  EXPECT_THAT(not_settled(harness), IsEmpty());
}

TEST(PromptLogprobs, EachChoiceOfAPromptHasThem) {
  for (const bool prefix_caching : {true, false}) {
    for (const int max_tokens : {0, 6}) {
      CoreHarness harness({.prefix_caching = prefix_caching});
      std::vector<Request> requests;
      std::vector<RequestId> ids;
      for (int choice = 0; choice < 3; ++choice) {
        Request& request = requests.emplace_back(scored_request(4, 18, max_tokens));
        request.sampling = sampling_of(1, static_cast<std::uint64_t>(choice));
        request.choice = choice;
        request.n_choices = 3;
        ids.push_back(harness.submit(request));
      }
      harness.run();
      for (std::size_t i = 0; i < ids.size(); ++i) {
        EXPECT_EQ(told(harness.answer(ids[i]).prompt), expected_scores(harness.setup, requests[i]));
        EXPECT_EQ(harness.answer(ids[i]).tokens, expected(harness.setup.model, requests[i]));
        harness.release(ids[i], Outcome::kComplete, max_tokens);
      }
      EXPECT_THAT(not_settled(harness), IsEmpty());
    }
  }
}

// EOS ranks last in the fake model, and has no probability.
TEST(PromptLogprobs, OfTheFakeModelDescendByOneFromTheBest) {
  FakeOptions model{.n_vocab = 10, .eos = TokenId(4)};
  const TokenId first(7);
  const TokenId best = FakeRunner::expected_tokens(model, {{first}}, 1).front();
  for (int id = 0; id < 10; ++id) {
    const TokenId prompt[] = {first, TokenId(id)};
    const Sampled scored = FakeRunner::expected_scores(model, prompt, 9).front();
    EXPECT_EQ(scored.token, TokenId(id));
    EXPECT_EQ(scored.top.front().token, best);
    if (id == 4) {
      EXPECT_EQ(scored.logprob, -std::numeric_limits<float>::infinity());
      EXPECT_EQ(scored.rank, 10);
    } else {
      const auto& listed = scored.top.at(static_cast<std::size_t>(scored.rank - 1));
      EXPECT_EQ(listed.token, TokenId(id));
      EXPECT_EQ(listed.logprob, scored.logprob);
    }
  }
}

}  // namespace
}  // namespace mie::test
