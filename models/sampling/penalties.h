// Repetition, frequency and presence penalties on one row of logits. Owned by a Sampler; one thread.
#pragma once

#include "models/model_runner.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mie {

class Penalties {
 public:
  explicit Penalties(std::size_t n_vocab) : occurrences_(n_vocab, 0), marked_(n_vocab, false) {}

  // Repetition divides a positive logit and multiplies any other, once for each distinct token of prompt and output (Keskar
  // et al., CTRL, 2019); frequency subtracts per occurrence in the output, presence once. Finite logits stay finite.
  // O(prompt + generated). REQUIRES: ids in [0, n_vocab).
  void apply(std::span<float> logits, const SamplingRow& row);

 private:
  void repeat(std::span<float> logits, std::span<const TokenId> tokens, float penalty);

  // All zero between calls: clearing costs the tokens seen, not the vocabulary.
  std::vector<std::int32_t> occurrences_;  // [n_vocab], in the output
  std::vector<bool> marked_;               // [n_vocab], repetition penalty already applied
};

}  // namespace mie
