#include "core/sequence.h"

#include "core/base/ensure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace mie {
namespace {

using ::testing::ElementsAre;

constexpr TokenId kToken{7};

std::shared_ptr<Request> request_of(std::vector<TokenId> prompt, int max_tokens) {
  auto request = std::make_shared<Request>();
  request->id = RequestId(42);
  request->prompt = std::move(prompt);
  request->max_tokens = max_tokens;
  return request;
}

class SequenceTest : public ::testing::Test {
 protected:
  static constexpr int kBlockSize = 4;

  // 5 prompt tokens, at most 3 generated.
  Sequence waiting() { return {request_of({TokenId(1), TokenId(2), TokenId(3), TokenId(4), TokenId(5)}, 3), pool, kBlockSize}; }
  Sequence running() {
    Sequence seq = waiting();
    seq.admit();
    EXPECT_TRUE(seq.blocks().append(2));
    return seq;
  }
  Sequence finished() {
    Sequence seq = running();
    seq.finish(FinishReason::kStop);
    return seq;
  }

  BlockPool pool{8};
};

TEST_F(SequenceTest, StartsWaitingWithItsPromptPending) {
  const Sequence seq = waiting();
  EXPECT_EQ(seq.state(), SeqState::kWaiting);
  EXPECT_EQ(seq.n_prompt(), 5);
  EXPECT_EQ(seq.n_total(), 5);
  EXPECT_EQ(seq.n_computed(), 0);
  EXPECT_EQ(seq.n_pending(), 5);
  EXPECT_EQ(seq.n_generated(), 0);
  EXPECT_EQ(seq.max_total(), 8);
  EXPECT_FALSE(seq.finish_reason().has_value());
}

TEST_F(SequenceTest, PrefillInChunksThenDecode) {
  Sequence seq = running();
  seq.commit(3, std::nullopt);
  EXPECT_EQ(seq.n_computed(), 3);
  EXPECT_EQ(seq.n_pending(), 2);
  seq.commit(2, TokenId(10));
  EXPECT_EQ(seq.n_computed(), 5);
  EXPECT_EQ(seq.n_pending(), 1);
  EXPECT_EQ(seq.n_generated(), 1);
  seq.commit(1, TokenId(11));
  EXPECT_THAT(seq.generated(), ElementsAre(TokenId(10), TokenId(11)));
  EXPECT_THAT(seq.prompt(), ElementsAre(TokenId(1), TokenId(2), TokenId(3), TokenId(4), TokenId(5)));
  EXPECT_EQ(seq.n_total(), 7);
}

TEST_F(SequenceTest, StopsExactlyAtMaxTokens) {
  Sequence seq = running();
  seq.commit(5, kToken);
  seq.commit(1, kToken);
  seq.commit(1, kToken);
  EXPECT_EQ(seq.n_total(), seq.max_total());
  EXPECT_THROW(seq.commit(1, kToken), InvariantError);
  EXPECT_EQ(seq.n_generated(), 3);
}

TEST_F(SequenceTest, APromptThatIsOnlyScoredEndsWithNothingPending) {
  auto request = request_of({TokenId(1), TokenId(2), TokenId(3)}, 0);
  EXPECT_THROW(Sequence(request, pool, kBlockSize), InvariantError) << "asks for nothing at all";
  request->n_prompt_logprobs = 0;
  Sequence seq(request, pool, kBlockSize);
  EXPECT_EQ(seq.max_total(), 3);
  seq.admit();
  ASSERT_TRUE(seq.blocks().append(1));
  EXPECT_FALSE(seq.view().samples_after(3));
  seq.commit(1, std::nullopt);
  EXPECT_THROW(seq.commit(2, kToken), InvariantError);
  EXPECT_EQ(seq.n_pending(), 2);
  seq.commit(2, std::nullopt);
  EXPECT_EQ(seq.n_pending(), 0);
  EXPECT_EQ(seq.n_generated(), 0);
  EXPECT_FALSE(seq.view().decodes());
  seq.finish(FinishReason::kLength);
  EXPECT_EQ(pool.n_used(), 0);
}

TEST_F(SequenceTest, PreemptionKeepsTokensAndDropsTheCache) {
  Sequence seq = running();
  seq.commit(5, kToken);
  EXPECT_EQ(pool.n_used(), 2);
  seq.preempt();
  EXPECT_EQ(seq.state(), SeqState::kWaiting);
  EXPECT_EQ(pool.n_used(), 0);
  EXPECT_EQ(seq.n_computed(), 0);
  EXPECT_EQ(seq.n_total(), 6);
  seq.admit();
  ASSERT_TRUE(seq.blocks().append(2));
  seq.commit(6, TokenId(8));
  EXPECT_THAT(seq.generated(), ElementsAre(kToken, TokenId(8)));
}

TEST_F(SequenceTest, FinishingGivesTheBlocksBackAndKeepsTheTokens) {
  Sequence seq = running();
  seq.commit(5, kToken);
  seq.finish(FinishReason::kLength);
  EXPECT_EQ(seq.finish_reason(), FinishReason::kLength);
  EXPECT_EQ(pool.n_used(), 0);
  EXPECT_THAT(seq.generated(), ElementsAre(kToken));
}

TEST_F(SequenceTest, DestructionGivesTheBlocksBack) {
  {
    const Sequence seq = running();
  }
  EXPECT_EQ(pool.n_free(), 8);
}

TEST_F(SequenceTest, ViewCopiesTheNumbers) {
  Sequence seq = running();
  seq.commit(5, kToken);
  const SeqView view = seq.view();
  EXPECT_EQ(view.id, RequestId(42));
  EXPECT_TRUE(view.running);
  EXPECT_EQ(view.n_prompt, 5);
  EXPECT_EQ(view.n_total, 6);
  EXPECT_EQ(view.n_computed, 5);
  EXPECT_EQ(view.n_pending(), 1);
  EXPECT_EQ(view.n_blocks, 2);
  EXPECT_EQ(view.max_total, 8);
  EXPECT_FALSE(waiting().view().running);
}

// Every (state, call) pair that is not an arrow of the diagram in the header.
TEST_F(SequenceTest, CallsThatTheStateDoesNotAllowThrowAndChangeNothing) {
  const auto unchanged = [](Sequence& seq, auto call) {
    const SeqState state = seq.state();
    const int n_total = seq.n_total(), n_computed = seq.n_computed(), n_blocks = seq.blocks().n_blocks();
    const auto reason = seq.finish_reason();
    EXPECT_THROW(call(), InvariantError);
    EXPECT_EQ(seq.state(), state);
    EXPECT_EQ(seq.n_total(), n_total);
    EXPECT_EQ(seq.n_computed(), n_computed);
    EXPECT_EQ(seq.blocks().n_blocks(), n_blocks);
    EXPECT_EQ(seq.finish_reason(), reason);
  };
  Sequence w = waiting();
  unchanged(w, [&] { w.commit(1, std::nullopt); });
  unchanged(w, [&] { w.preempt(); });
  unchanged(w, [&] { w.forget(); });
  Sequence r = running();
  unchanged(r, [&] { r.admit(); });
  Sequence f = finished();
  unchanged(f, [&] { f.admit(); });
  unchanged(f, [&] { f.commit(1, std::nullopt); });
  unchanged(f, [&] { f.preempt(); });
  unchanged(f, [&] { f.finish(FinishReason::kLength); });
  unchanged(f, [&] { (void)f.view(); });
}

TEST_F(SequenceTest, CallsThatTheStateAllows) {
  Sequence cancelled = waiting();
  cancelled.finish(FinishReason::kCancelled);
  EXPECT_EQ(cancelled.state(), SeqState::kFinished);
  Sequence seq = waiting();
  (void)seq.view();
  seq.admit();
  EXPECT_EQ(seq.state(), SeqState::kRunning);
  (void)seq.view();
  seq.preempt();
  EXPECT_EQ(seq.state(), SeqState::kWaiting);
  seq.admit();
  seq.finish(FinishReason::kError);
  EXPECT_EQ(seq.state(), SeqState::kFinished);
}

TEST_F(SequenceTest, ForgettingLeavesItRunningWithEverythingToCompute) {
  Sequence seq = running();
  seq.commit(5, kToken);
  seq.forget();
  EXPECT_EQ(seq.state(), SeqState::kRunning);
  EXPECT_EQ(seq.n_pending(), 6);
  EXPECT_EQ(seq.blocks().n_blocks(), 0);
}

TEST_F(SequenceTest, WrongCommitsThrowAndChangeNothing) {
  Sequence seq = running();
  EXPECT_THROW(seq.commit(0, std::nullopt), InvariantError);
  EXPECT_THROW(seq.commit(-1, std::nullopt), InvariantError);
  EXPECT_THROW(seq.commit(6, kToken), InvariantError);        // more than pending
  EXPECT_THROW(seq.commit(5, std::nullopt), InvariantError);  // reached the end and sampled nothing
  EXPECT_THROW(seq.commit(4, kToken), InvariantError);        // sampled before the end
  EXPECT_EQ(seq.n_computed(), 0);
  EXPECT_EQ(seq.n_total(), 5);
  Sequence bare = waiting();
  bare.admit();
  ASSERT_TRUE(bare.blocks().append(1));
  EXPECT_THROW(bare.commit(5, kToken), InvariantError);  // the fifth token has no slot
  EXPECT_EQ(bare.n_total(), 5);
  bare.commit(4, std::nullopt);
  EXPECT_EQ(bare.n_computed(), 4);
}

constexpr TokenId kDrafts[] = {TokenId(20), TokenId(21)};

TEST_F(SequenceTest, DraftsAreNoTokensBeforeTheyAreAccepted) {
  Sequence seq = running();
  seq.commit(5, kToken);
  seq.draft(std::span(kDrafts).first(1));
  EXPECT_EQ(seq.n_total(), 6);
  EXPECT_EQ(seq.n_pending(), 1);
  EXPECT_THAT(seq.generated(), ElementsAre(kToken));
  EXPECT_THAT(seq.with_drafts(1).subspan(5), ElementsAre(kToken, TokenId(20)));
  EXPECT_EQ(seq.view().n_drafts, 1);
  seq.accept(1);
  EXPECT_EQ(seq.n_total(), 7);
  EXPECT_EQ(seq.n_drafts(), 0);
  EXPECT_EQ(seq.n_pending(), 2);
  seq.commit(2, TokenId(9));
  EXPECT_THAT(seq.generated(), ElementsAre(kToken, TokenId(20), TokenId(9)));
  EXPECT_EQ(seq.n_pending(), 1);
}

TEST_F(SequenceTest, EachChangeForgetsTheDrafts) {
  Sequence seq = running();
  seq.commit(5, kToken);
  seq.draft(std::span(kDrafts).first(1));
  seq.draft({});
  EXPECT_EQ(seq.n_drafts(), 0);
  seq.draft(std::span(kDrafts).first(1));
  seq.commit(1, TokenId(9));
  EXPECT_THAT(seq.generated(), ElementsAre(kToken, TokenId(9)));
  Sequence preempted = running();
  preempted.commit(5, kToken);
  preempted.draft(std::span(kDrafts).first(1));
  preempted.preempt();
  EXPECT_EQ(preempted.view().n_drafts, 0);
  EXPECT_EQ(preempted.n_total(), 6);
}

TEST_F(SequenceTest, BlocksTakenForRejectedDraftsAreGivenBack) {
  Sequence seq = running();  // 8 slots
  seq.commit(5, kToken);
  seq.commit(1, kToken);
  ASSERT_TRUE(seq.blocks().append(1));
  seq.commit(1, TokenId(9));  // the seventh token in the cache
  EXPECT_EQ(pool.n_used(), 3);
  seq.trim();
  EXPECT_EQ(seq.blocks().n_blocks(), 2);
  EXPECT_EQ(pool.n_used(), 2);
}

TEST_F(SequenceTest, DraftsThatCannotBeThrowAndChangeNothing) {
  Sequence fresh = running();
  EXPECT_THROW(fresh.draft(std::span(kDrafts).first(1)), InvariantError);  // five tokens pending
  Sequence seq = running();
  seq.commit(5, kToken);                             // one of three generated
  EXPECT_THROW(seq.draft(kDrafts), InvariantError);  // no room for the token after the second
  EXPECT_NO_THROW(seq.draft(std::span(kDrafts).first(1)));
  EXPECT_THROW(seq.accept(2), InvariantError);
  EXPECT_THROW(seq.accept(-1), InvariantError);
  EXPECT_EQ(seq.n_drafts(), 1);
  EXPECT_EQ(seq.n_total(), 6);
  Sequence idle = waiting();
  EXPECT_THROW(idle.draft({}), InvariantError);
}

TEST_F(SequenceTest, RefusesRequestsThatCannotRun) {
  EXPECT_THROW(Sequence(nullptr, pool, kBlockSize), InvariantError);
  EXPECT_THROW(Sequence(request_of({}, 3), pool, kBlockSize), InvariantError);
  EXPECT_THROW(Sequence(request_of({kToken}, 0), pool, kBlockSize), InvariantError);
  EXPECT_NO_THROW(Sequence(request_of({kToken}, 2'147'483'646), pool, kBlockSize));
  EXPECT_THROW(Sequence(request_of({kToken}, 2'147'483'647), pool, kBlockSize), InvariantError);
}

}  // namespace
}  // namespace mie
