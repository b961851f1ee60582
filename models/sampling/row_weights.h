// The weights e^((logit - max) / temperature) of a whole row, and their running sum: what a draw without top_k looks at.
// The order of every addition is fixed, so a seed draws the same token everywhere. Owned by a Sampler; one thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mie {

class RowWeights {
 public:
  // For rows of up to `n_logits`; measure() allocates nothing.
  explicit RowWeights(std::size_t n_logits);

  // `max`: of the logits. A logit of -inf weighs 0.
  void measure(std::span<const float> logits, float max, float temperature);

  [[nodiscard]] std::span<const float> weights() const { return weights_; }
  [[nodiscard]] double total() const { return total_; }
  // The first id up to which the weights sum to more than `mass`; the last one of any weight where rounding leaves it
  // unreached.
  [[nodiscard]] std::size_t first_past(double mass) const;

 private:
  static constexpr std::size_t kBlock = 512;  // weights of one sum; stay in the nearest cache

  std::vector<float> weights_;
  std::vector<double> sums_;  // [blocks]
  double total_ = 0;
};

}  // namespace mie
