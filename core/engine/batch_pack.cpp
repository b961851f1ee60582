#include "core/engine/batch_pack.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <cstddef>

namespace mie {
namespace {

std::size_t n_blocks(const PackRow& row) { return row.sequence->blocks().blocks().size() + row.new_blocks.size(); }

void check(const PackRow& row) {
  const Sequence& seq = *row.sequence;
  const Scheduled& planned = row.scheduled;
  ENSURE(planned.first_position == seq.n_computed(), "a plan starts where the cache ends");
  const int n_own = planned.n_tokens - planned.n_drafts;
  ENSURE(n_own >= 1 && n_own <= seq.n_pending(), "a plan runs pending tokens");
  ENSURE(planned.samples == seq.view().samples_after(n_own), "a plan samples exactly at the end");
  ENSURE(planned.n_drafts >= 0 && planned.n_drafts <= (planned.samples ? seq.n_drafts() : 0),
         "a plan verifies proposed drafts");
  const auto capacity = n_blocks(row) * static_cast<std::size_t>(seq.blocks().block_size());
  ENSURE(capacity >= static_cast<std::size_t>(seq.n_computed() + planned.n_tokens), "a plan takes blocks for its rows");
}

void append_table(const PackRow& row, std::size_t width, std::vector<std::int32_t>& tables) {
  for (const BlockId block : row.sequence->blocks().blocks()) tables.push_back(block.value());
  for (const BlockId block : row.new_blocks) tables.push_back(block.value());
  tables.insert(tables.end(), width - n_blocks(row), -1);
}

// The prompt token after each scoring row.
void append_scores(const PackRow& row, std::vector<SamplingRow>& sampling) {
  const Request& request = row.sequence->request();
  for (int i = 0; i < row.n_scoring(); ++i) {
    const int position = row.first_scoring() + i + 1;
    sampling.push_back({.position = position,
                        .n_top_logprobs = *request.n_prompt_logprobs,
                        .score = request.prompt[static_cast<std::size_t>(position)]});
  }
}

}  // namespace

int PackRow::first_scoring() const { return std::max(scheduled.first_position, n_told); }

int PackRow::n_scoring() const {
  if (!sequence->request().wants_prompt_logits()) return 0;
  const int end = std::min(scheduled.first_position + scheduled.n_tokens, sequence->n_prompt() - 1);
  return std::max(0, end - first_scoring());
}

void pack_batch(std::span<const PackRow> rows, StepBatch& batch) {
  std::size_t width = 0;
  for (const PackRow& row : rows) {
    check(row);
    width = std::max(width, n_blocks(row));
  }
  for (auto* numbers : {&batch.tokens, &batch.positions, &batch.row_starts, &batch.block_tables, &batch.logits_rows})
    numbers->clear();
  batch.copies.clear();
  batch.max_blocks = static_cast<std::int32_t>(width);
  batch.row_starts.push_back(0);
  for (const PackRow& row : rows) {
    const auto tokens = row.sequence->with_drafts(row.scheduled.n_drafts);
    const int end = row.scheduled.first_position + row.scheduled.n_tokens;
    for (int position = row.scheduled.first_position; position < end; ++position) {
      batch.tokens.push_back(tokens[static_cast<std::size_t>(position)].value());
      batch.positions.push_back(position);
    }
    const int first_row = batch.row_starts.back();
    for (int i = 0; i < row.n_scoring(); ++i)
      batch.logits_rows.push_back(first_row + row.first_scoring() - row.scheduled.first_position + i);
    batch.row_starts.push_back(batch.n_tokens());
    append_table(row, width, batch.block_tables);
    if (row.copied_from) batch.copies.push_back({row.copied_from->value(), row.new_blocks.front().value()});
    for (int i = row.scheduled.n_sampled(); i > 0; --i) batch.logits_rows.push_back(batch.n_tokens() - i);
  }
}

void pack_sampling_rows(std::span<const PackRow> rows, std::vector<SamplingRow>& sampling) {
  sampling.clear();
  for (const PackRow& row : rows) {
    const Sequence& seq = *row.sequence;
    const Request& request = seq.request();
    append_scores(row, sampling);
    for (int i = 0; i < row.scheduled.n_sampled(); ++i) {
      SamplingRow wanted = request.sampling.row();
      wanted.position = seq.n_total() + i;
      wanted.prompt = seq.prompt();
      wanted.generated = seq.with_drafts(i).subspan(seq.prompt().size());
      if (seq.n_generated() + i < request.min_tokens) wanted.banned = request.stop_ids;
      sampling.push_back(wanted);
    }
  }
}

}  // namespace mie
