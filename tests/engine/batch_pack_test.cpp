#include "core/engine/batch_pack.h"

#include "core/base/ensure.h"
#include "kv/reservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<Request> request_of(std::vector<int> prompt, int max_tokens, int min_tokens = 0) {
  auto request = std::make_shared<Request>();
  for (const int token : prompt) request->prompt.emplace_back(token);
  request->max_tokens = max_tokens;
  request->min_tokens = min_tokens;
  request->stop_ids = {TokenId(2)};
  return request;
}

std::vector<int> values(std::span<const TokenId> tokens) {
  std::vector<int> values;
  for (const TokenId token : tokens) values.push_back(token.value());
  return values;
}

StepBatch batch_of(std::span<const PackRow> rows) {
  StepBatch batch{.tokens = {1},
                  .positions = {2},
                  .row_starts = {3},
                  .block_tables = {4},
                  .max_blocks = 5,
                  .copies = {{7, 8}},
                  .logits_rows = {6}};
  pack_batch(rows, batch);  // replaces what an earlier step left
  return batch;
}

std::vector<SamplingRow> sampling_of(std::span<const PackRow> rows) {
  std::vector<SamplingRow> sampling(3);
  pack_sampling_rows(rows, sampling);
  return sampling;
}

// The worked example of model_runner.h, block size 4: A holds blocks 7 and 2 and decodes its 6th token; B prefills three
// tokens into block 9, taken by this step.
class BatchPack : public ::testing::Test {
 protected:
  BatchPack() : a(request_of({50, 51, 52, 53}, 8), pool, 4), b(request_of({60, 61, 62}, 4, 2), pool, 4) {
    // Order the free blocks so that 7, 2, 9 come out.
    std::vector<BlockId> all;
    EXPECT_TRUE(pool.take(10, all));
    a.admit();
    const BlockId of_a[] = {BlockId(7), BlockId(2)};
    a.blocks().adopt(of_a);
    a.commit(4, TokenId(54));
    a.commit(1, TokenId(55));
    b.admit();
  }
  ~BatchPack() override = default;

  BlockPool pool{10};
  Sequence a, b;
  std::vector<BlockId> fresh{BlockId(9)};
};

TEST_F(BatchPack, DraftsFollowTheirTokenAndEachIsSampledAfter) {
  const TokenId guesses[] = {TokenId(80), TokenId(81), TokenId(82)};
  a.draft(guesses);
  const Scheduled of_a{.id = a.id(), .first_position = 5, .n_tokens = 3, .n_new_blocks = 0, .samples = true, .n_drafts = 2};
  const PackRow rows[] = {{&a, of_a, {}},
                          {&b, {.id = b.id(), .first_position = 0, .n_tokens = 3, .n_new_blocks = 1, .samples = true}, fresh}};
  const StepBatch batch = batch_of(rows);
  EXPECT_THAT(batch.tokens, ElementsAre(55, 80, 81, 60, 61, 62));
  EXPECT_THAT(batch.positions, ElementsAre(5, 6, 7, 0, 1, 2));
  EXPECT_THAT(batch.row_starts, ElementsAre(0, 3, 6));
  EXPECT_THAT(batch.logits_rows, ElementsAre(0, 1, 2, 5));
  const auto sampling = sampling_of(rows);
  ASSERT_EQ(sampling.size(), 4U);
  EXPECT_EQ(sampling[0].position, 6);
  EXPECT_EQ(sampling[2].position, 8);
  EXPECT_THAT(values(sampling[0].generated), ElementsAre(54, 55));
  EXPECT_THAT(values(sampling[1].generated), ElementsAre(54, 55, 80));
  EXPECT_THAT(values(sampling[2].generated), ElementsAre(54, 55, 80, 81));
  EXPECT_THAT(values(sampling[2].prompt), ElementsAre(50, 51, 52, 53));
}

TEST_F(BatchPack, DraftsThatWereNotProposedAreRefused) {
  const Scheduled of_a{.id = a.id(), .first_position = 5, .n_tokens = 2, .n_new_blocks = 0, .samples = true, .n_drafts = 1};
  const PackRow rows[] = {{&a, of_a, {}}};
  EXPECT_THROW(batch_of(rows), InvariantError);
}

TEST_F(BatchPack, LaysOutTheWorkedExample) {
  const PackRow rows[] = {{&a, {.id = a.id(), .first_position = 5, .n_tokens = 1, .n_new_blocks = 0, .samples = true}, {}},
                          {&b, {.id = b.id(), .first_position = 0, .n_tokens = 3, .n_new_blocks = 1, .samples = true}, fresh}};
  const StepBatch batch = batch_of(rows);
  EXPECT_THAT(batch.tokens, ElementsAre(55, 60, 61, 62));
  EXPECT_THAT(batch.positions, ElementsAre(5, 0, 1, 2));
  EXPECT_THAT(batch.row_starts, ElementsAre(0, 1, 4));
  EXPECT_EQ(batch.max_blocks, 2);
  EXPECT_THAT(batch.block_tables, ElementsAre(7, 2, 9, -1));
  EXPECT_THAT(batch.logits_rows, ElementsAre(0, 3));

  const auto sampling = sampling_of(rows);
  ASSERT_EQ(sampling.size(), 2U);
  EXPECT_EQ(sampling[0].position, 6);
  EXPECT_THAT(values(sampling[0].prompt), ElementsAre(50, 51, 52, 53));
  EXPECT_THAT(values(sampling[0].generated), ElementsAre(54, 55));
  EXPECT_THAT(sampling[0].banned, IsEmpty());
  EXPECT_EQ(sampling[1].position, 3);
  EXPECT_THAT(sampling[1].generated, IsEmpty());
  EXPECT_THAT(values(sampling[1].banned), ElementsAre(2));
}

TEST_F(BatchPack, AChunkThatDoesNotReachTheEndSamplesNothing) {
  const PackRow rows[] = {{&b, {.id = b.id(), .first_position = 0, .n_tokens = 2, .n_new_blocks = 1, .samples = false}, fresh}};
  EXPECT_THAT(batch_of(rows).logits_rows, IsEmpty());
  EXPECT_THAT(batch_of(rows).tokens, ElementsAre(60, 61));
  EXPECT_THAT(sampling_of(rows), IsEmpty());
}

std::vector<int> scored(std::span<const SamplingRow> sampling) {
  std::vector<int> tokens;
  for (const SamplingRow& row : sampling) tokens.push_back(row.score ? row.score->value() : -1);
  return tokens;
}

// Rows p of the prompt tell of token p + 1; the last one samples. A decodes beside it.
TEST_F(BatchPack, RowsOfAPromptScoreTheTokenThatFollows) {
  auto request = request_of({60, 61, 62, 63}, 4, 2);
  request->n_prompt_logprobs = 3;
  Sequence c(request, pool, 4);
  c.admit();
  const PackRow rows[] = {{&c, {.id = c.id(), .first_position = 0, .n_tokens = 4, .n_new_blocks = 1, .samples = true}, fresh},
                          {&a, {.id = a.id(), .first_position = 5, .n_tokens = 1, .n_new_blocks = 0, .samples = true}, {}}};
  EXPECT_THAT(batch_of(rows).logits_rows, ElementsAre(0, 1, 2, 3, 4));
  const auto sampling = sampling_of(rows);
  EXPECT_THAT(scored(sampling), ElementsAre(61, 62, 63, -1, -1));
  EXPECT_EQ(sampling.at(0).position, 1);
  EXPECT_EQ(sampling.at(2).position, 3);
  EXPECT_EQ(sampling.at(2).n_top_logprobs, 3);
  EXPECT_THAT(sampling.at(0).banned, IsEmpty());
  EXPECT_EQ(sampling.at(3).position, 4);
  EXPECT_EQ(sampling.at(3).n_top_logprobs, -1) << "of what is generated nothing was asked";
  EXPECT_THAT(values(sampling.at(3).banned), ElementsAre(2));
}

// The worked example of PackRow: prompt of 10, evicted after 6 computed, then rows 0 … 7.
TEST_F(BatchPack, RowsThatRanBeforeAnEvictionScoreNothing) {
  auto request = request_of({60, 61, 62, 63, 64, 65, 66, 67, 68, 69}, 1);
  request->n_prompt_logprobs = 0;
  Sequence c(request, pool, 4);
  c.admit();
  const std::vector<BlockId> two{BlockId(0), BlockId(1)};
  const Scheduled chunk{.id = c.id(), .first_position = 0, .n_tokens = 8, .n_new_blocks = 2, .samples = false};
  const PackRow rows[] = {{.sequence = &c, .scheduled = chunk, .new_blocks = two, .n_told = 6}};
  EXPECT_THAT(batch_of(rows).logits_rows, ElementsAre(6, 7));
  EXPECT_THAT(scored(sampling_of(rows)), ElementsAre(67, 68));
  const PackRow all_seen[] = {{.sequence = &c, .scheduled = chunk, .new_blocks = two, .n_told = 9}};
  EXPECT_THAT(batch_of(all_seen).logits_rows, IsEmpty());
  EXPECT_THAT(sampling_of(all_seen), IsEmpty());
}

TEST_F(BatchPack, APromptThatIsOnlyScoredSamplesNothingAtItsEnd) {
  auto request = request_of({60, 61, 62}, 0);
  request->n_prompt_logprobs = 0;
  Sequence c(request, pool, 4);
  c.admit();
  Scheduled whole{.id = c.id(), .first_position = 0, .n_tokens = 3, .n_new_blocks = 1, .samples = false};
  const PackRow rows[] = {{&c, whole, fresh}};
  EXPECT_THAT(batch_of(rows).logits_rows, ElementsAre(0, 1));
  EXPECT_THAT(scored(sampling_of(rows)), ElementsAre(61, 62));
  whole.samples = true;
  const PackRow wrong[] = {{&c, whole, fresh}};
  EXPECT_THROW(static_cast<void>(batch_of(wrong)), InvariantError);
}

TEST_F(BatchPack, RefusesAPlanThatDoesNotMatchItsSequence) {
  const Scheduled right{.id = b.id(), .first_position = 0, .n_tokens = 3, .n_new_blocks = 1, .samples = true};
  Scheduled late = right;
  late.first_position = 1;
  Scheduled too_many = right;
  too_many.n_tokens = 4;
  Scheduled silent = right;
  silent.samples = false;
  for (const Scheduled& wrong : {late, too_many, silent}) {
    const PackRow rows[] = {{&b, wrong, fresh}};
    EXPECT_THROW(static_cast<void>(batch_of(rows)), InvariantError);
  }
  const PackRow no_blocks[] = {{&b, right, {}}};
  EXPECT_THROW(static_cast<void>(batch_of(no_blocks)), InvariantError);
}

}  // namespace
}  // namespace mie::test
