// Runs prompts greedily on a ModelRunner in a chosen arrangement, without the engine: what is computed together with what,
// in pieces of what size, in pages of what length. Test code.
#pragma once

#include "models/model_runner.h"

#include <span>
#include <vector>

namespace mie::test {

struct Arrangement {
  int n_together = 1;   // sequences in a step
  int chunk = 1 << 20;  // prompt tokens of one sequence in a step
  int block_size = 16;
  int preempt_at = -1;  // generated tokens after which every sequence drops its cache and computes it again, once
  int n_drafts = 0;     // guesses that each decoding row is followed by, as far as tokens are left to generate: of …
  std::span<const std::vector<Sampled>> guesses{};  // … what each prompt generates, every third one made wrong
};

// n_new tokens for each prompt. REQUIRES: the runner has n_together * ceil(longest / block_size) + 1 blocks.
[[nodiscard]] std::vector<std::vector<Sampled>> generate(ModelRunner& runner, std::span<const std::vector<TokenId>> prompts,
                                                         int n_new, const Arrangement& arrangement, int n_top_logprobs = -1);

// What the runner tells of each token of each prompt but its first: scored as it is computed in the arrangement, of which
// preempt_at and drafts are not used. REQUIRES: as generate() with n_new 0.
[[nodiscard]] std::vector<std::vector<Sampled>> score(ModelRunner& runner, std::span<const std::vector<TokenId>> prompts,
                                                      const Arrangement& arrangement, int n_top_logprobs);

}  // namespace mie::test
