// Logits to a token: one row at a time, in the order of SamplingRow. The result is a function of the logits and the row
// alone. Holds scratch of a few vocabularies, so steady state allocates nothing but `Sampled::top`.
// Owned by a backend, one per thread that samples.
#pragma once

#include "models/model_runner.h"
#include "models/sampling/penalties.h"
#include "models/sampling/row_weights.h"
#include "models/sampling/top_candidates.h"

#include <span>
#include <vector>

namespace mie {

// Temperatures up to this one are greedy.
inline constexpr float kGreedyTemperature = 1e-4F;

class Sampler {
 public:
  // n_vocab: length of a row of logits. n_tokens: ids from there on are padding and never sampled nor listed.
  // REQUIRES: 1 ≤ n_tokens ≤ n_vocab.
  Sampler(int n_vocab, int n_tokens);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Destroys `logits`, but not for a row that scores. O(n_vocab) for every combination of parameters.
  // Throws ModelStepError when a raw logit is NaN or +inf, or when every token is masked.
  // REQUIRES: logits.size() == n_vocab; every id of the row in range.
  Sampled sample(std::span<float> logits, const SamplingRow& row);

 private:
  [[nodiscard]] Sampled score(std::span<const float> logits, const SamplingRow& row);
  void bias(std::span<float> logits, const SamplingRow& row) const;
  [[nodiscard]] TokenId choose(std::span<const float> logits, const SamplingRow& row);
  void gather_top_k(std::span<const float> logits, std::size_t k);
  void gather(std::span<const float> logits, const Candidate& last);
  void weigh(float max, float temperature);
  void gather_weighty(std::span<const float> logits, const SamplingRow& row);
  void keep_top_p(const SamplingRow& row, double total, float max);
  template <class Predicate>
  void drop_if(const Predicate& predicate);
  [[nodiscard]] TokenId draw(const SamplingRow& row) const;
  void measure(std::span<const float> logits);
  void report_logprobs(std::span<const float> raw, const SamplingRow& row, Sampled& sampled);

  std::size_t n_vocab_;
  std::size_t n_tokens_;
  Penalties penalties_;
  BlockMaxima maxima_;               // of the row as it is
  RowWeights weights_;               // of a row without top_k
  std::vector<Candidate> storage_;   // [n_tokens]
  std::span<Candidate> candidates_;  // head of storage_: what can still be drawn, ascending by id
  std::vector<Candidate> scratch_;
  std::vector<float> raw_;  // [n_vocab], of a row with logprobs
};

}  // namespace mie
