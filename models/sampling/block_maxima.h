// The highest logit of each block of a row: one pass over memory, after which the highest logit and the k best are found in a
// few blocks. Owned by a Sampler; one thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mie {

class BlockMaxima {
 public:
  static constexpr std::size_t kBlock = 128;  // logits: the 40 best of 151,936 lie in 40 of 1187 blocks or fewer

  // For rows of up to `n_logits`; measure() allocates nothing.
  explicit BlockMaxima(std::size_t n_logits);

  // Takes the maxima of `logits`. False when one of them is NaN or +inf; the maxima mean nothing then.
  bool measure(std::span<const float> logits);

  [[nodiscard]] std::span<const float> of_blocks() const { return maxima_; }
  [[nodiscard]] float highest() const;
  // The first id whose logit is highest(). REQUIRES: the logits that were measured.
  [[nodiscard]] std::size_t first_of_highest(std::span<const float> logits) const;
  // A bound that at least k logits reach, so that none below it is among the k best: the k-th highest maximum. -inf where
  // there are fewer blocks than that. O(blocks), and for a small k O(blocks / 8). REQUIRES: k ≥ 1.
  [[nodiscard]] float reached_by(std::size_t k);

 private:
  static constexpr std::size_t kGroup = 8;  // blocks

  std::vector<float> maxima_;   // [blocks]
  std::vector<float> groups_;   // [groups] of kGroup blocks, the last one of fewer
  std::vector<float> ordered_;  // scratch of reached_by
};

}  // namespace mie
