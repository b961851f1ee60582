// A text as the steps that score it. Cut into chunks, each a sequence of its own; the second half of a chunk is scored, so
// that every scored token has at least half a chunk before it. The positions are those of llama-perplexity with a context
// of one chunk. Values and functions of whoever drives the runner; one thread.
#pragma once

#include "bench/quality/figures.h"
#include "core/base/error.h"
#include "models/model_runner.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mie::quality {

struct TextCut {
  int chunk = 512;               // tokens
  int n_positions = 0;           // to score in all
  int rows_a_step = 32;          // bounds the memory: a scored row is 12 bytes an id
  std::optional<TokenId> bos{};  // in place of the first token of each chunk
};

// One run of a runner. Steps of a chunk follow each other; the first has position 0 and starts the sequence anew.
struct ScoringStep {
  std::vector<std::int32_t> tokens, positions;
  std::vector<std::int32_t> scored_rows;
  std::vector<TokenId> next;  // what the text goes on with after each scored row
};

// Example, chunk 8: rows 4, 5 and 6 of each chunk are scored, against tokens 5, 6 and 7.
// Error kConfig: the text is too short.
Result<std::vector<ScoringStep>> cut_text(std::span<const TokenId> tokens, const TextCut& cut);

// Runs the step with the sequence in blocks 0, 1, … . One row for each scored row.
// REQUIRES: the runner was run on the steps before it in this chunk.
std::vector<ScoredRow> score(ModelRunner& runner, const ScoringStep& step, int block_size, int n_vocab);

}  // namespace mie::quality
