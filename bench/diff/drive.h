// Runs one sequence on a ModelRunner in a chosen arrangement and records what its layers computed. On the caller's thread.
#pragma once

#include "bench/diff/record.h"
#include "models/model_runner.h"

#include <vector>

namespace mie::diff {

struct Arrangement {
  int block_size = 32;  // tokens
  int chunk = 256;      // prompt tokens in a step
  int batch = 1;        // sequences in a step; all but the one that is looked at are company, shifted copies of it
  bool cached = true;   // false: every step computes the whole sequence anew
};

// What is read: tokens whose values are known (the prompt, or more of them to force the same continuation), then greedy
// ones.
struct Script {
  std::vector<TokenId> tokens;
  int n_prompt = 0;
  int n_total = 0;  // tokens to read; those after the prompt one a step
};

// Rows of the largest step, and blocks that the sequences of it take.
[[nodiscard]] int rows_needed(const Script& script, const Arrangement& arrangement);
[[nodiscard]] int blocks_needed(const Script& script, const Arrangement& arrangement);

// Fills tokens, next, tensors and failure of a record; `recorder` is the tap of `runner`. Every position's logits are wanted.
// A ModelStepError ends the record where it happens: what was seen of that step stays.
// REQUIRES: the runner has so many rows, logits and blocks; 1 <= n_prompt <= tokens.size() <= n_total.
[[nodiscard]] Record drive(ModelRunner& runner, Recorder& recorder, const Script& script, const Arrangement& arrangement);

}  // namespace mie::diff
