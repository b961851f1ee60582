// How far a backend's next-token distributions are from a reference's: one position at a time, and over a text. Pure
// arithmetic in double precision; values; any thread.
#pragma once

#include "core/base/id.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mie::quality {

// What a runner says about one position of a text.
struct ScoredRow {
  TokenId greedy;               // by the runner's own logits, so that rounding of logprobs cannot make ties
  std::vector<float> logprobs;  // [n_vocab], natural logarithms; -inf: never sampled. Any constant may be added to all
};

struct PositionFigures {
  double kl = 0;  // KL(reference ‖ other), nats
  bool same_greedy = false;
  double reference_logprob = 0;  // of the token that the text goes on with
  double logprob = 0;
};

// Cost: two exponentials an id. REQUIRES: rows of equal length that holds `next`.
[[nodiscard]] PositionFigures compare(const ScoredRow& reference, const ScoredRow& other, TokenId next);

// The q-quantile (0 … 1) of ascending values, linear between the neighbours. REQUIRES: not empty.
[[nodiscard]] double quantile(std::span<const double> ascending, double q);

struct Summary {
  std::int64_t n_positions = 0;
  double mean_kl = 0, mean_kl_error = 0;  // nats; standard error of the mean, positions taken as independent
  double median_kl = 0, p99_kl = 0, max_kl = 0;
  double greedy_agreement = 0;  // share of positions, 0 … 1
  double reference_perplexity = 0, perplexity = 0;
  double max_logprob_difference = 0;  // of the text's own tokens, nats
  double rms_probability_difference = 0;
};

// The figures of a text. REQUIRES: at least one position.
[[nodiscard]] Summary summarise(std::span<const PositionFigures> positions);

}  // namespace mie::quality
