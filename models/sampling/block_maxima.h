// The highest logit of each block of a row: one pass over memory, after which the highest logit and the k best are found in a
// few blocks. Owned by a Sampler; one thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mie {

class BlockMaxima {
 public:
  static constexpr std::size_t kBlock = 256;  // logits; of 151,936 about the 40 best lie in 40 of 594 blocks

  // For rows of up to `n_logits`; measure() allocates nothing.
  explicit BlockMaxima(std::size_t n_logits);

  // Takes the maxima of `logits`. False when one of them is NaN or +inf; the maxima mean nothing then.
  bool measure(std::span<const float> logits);

  [[nodiscard]] std::span<const float> of_blocks() const { return maxima_; }
  [[nodiscard]] float highest() const;
  // The first id whose logit is highest(). REQUIRES: the logits that were measured.
  [[nodiscard]] std::size_t first_of_highest(std::span<const float> logits) const;
  // A bound that at least k logits reach, so that none below it is among the k best: the k-th highest maximum. -inf where
  // there are fewer blocks than that. REQUIRES: k ≥ 1.
  [[nodiscard]] float reached_by(std::size_t k);

 private:
  std::vector<float> maxima_;   // [blocks]
  std::vector<float> ordered_;  // scratch of reached_by
};

}  // namespace mie
