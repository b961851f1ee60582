#include "bench/quality/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace mie::quality {
namespace {

StepBatch batch_of(const ScoringStep& step, int block_size) {
  StepBatch batch;
  batch.tokens = step.tokens;
  batch.positions = step.positions;
  batch.row_starts = {0, static_cast<std::int32_t>(step.tokens.size())};
  batch.max_blocks = step.positions.back() / block_size + 1;
  batch.block_tables.resize(static_cast<std::size_t>(batch.max_blocks));
  std::iota(batch.block_tables.begin(), batch.block_tables.end(), 0);
  batch.logits_rows = step.scored_rows;
  return batch;
}

ScoredRow dense(const Sampled& sampled, int n_vocab) {
  ScoredRow row{.greedy = sampled.token, .logprobs = {}};
  row.logprobs.assign(static_cast<std::size_t>(n_vocab), -std::numeric_limits<float>::infinity());
  for (const TopLogprob& top : sampled.top) row.logprobs.at(static_cast<std::size_t>(top.token.value())) = top.logprob;
  return row;
}

}  // namespace

Result<std::vector<ScoringStep>> cut_text(std::span<const TokenId> tokens, const TextCut& cut) {
  const int first_scored = cut.chunk / 2;
  const int scored_a_chunk = cut.chunk - 1 - first_scored;  // the last token of a chunk has no next one in it
  const int n_chunks = (cut.n_positions + scored_a_chunk - 1) / scored_a_chunk;
  const std::size_t needed = static_cast<std::size_t>(n_chunks) * static_cast<std::size_t>(cut.chunk);
  if (tokens.size() < needed) {
    return Error{Errc::kConfig,
                 fmt::format("--text has {} tokens; {} positions in chunks of {} take {}", tokens.size(), cut.n_positions,
                             cut.chunk, needed),
                 "text"};
  }
  std::vector<ScoringStep> steps;
  int left = cut.n_positions;
  for (int chunk = 0; chunk < n_chunks; ++chunk) {
    const auto text = tokens.subspan(static_cast<std::size_t>(chunk) * static_cast<std::size_t>(cut.chunk));
    const int last_row = first_scored + std::min(left, scored_a_chunk) - 1;
    for (int row = 0; row <= last_row; ++row) {
      if (row % cut.rows_a_step == 0) steps.emplace_back();
      ScoringStep& step = steps.back();
      const auto at = static_cast<std::size_t>(row);
      if (row >= first_scored) {
        step.scored_rows.push_back(static_cast<std::int32_t>(step.tokens.size()));
        step.next.push_back(text[at + 1]);
      }
      step.tokens.push_back((row == 0 && cut.bos ? *cut.bos : text[at]).value());
      step.positions.push_back(row);
    }
    left -= scored_a_chunk;
  }
  return steps;
}

std::vector<ScoredRow> score(ModelRunner& runner, const ScoringStep& step, int block_size, int n_vocab) {
  std::vector<SamplingRow> wanted(step.scored_rows.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i].temperature = 0;
    wanted[i].n_top_logprobs = n_vocab;
    wanted[i].position = step.positions[static_cast<std::size_t>(step.scored_rows[i])] + 1;
  }
  std::vector<ScoredRow> rows;
  rows.reserve(wanted.size());
  std::vector<Sampled> answers(wanted.size());
  runner.run(batch_of(step, block_size), wanted, answers);
  for (const Sampled& sampled : answers) rows.push_back(dense(sampled, n_vocab));
  return rows;
}

}  // namespace mie::quality
