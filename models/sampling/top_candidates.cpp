#include "models/sampling/top_candidates.h"

#include <algorithm>

namespace mie {

void select_best(std::span<const Candidate> all, std::size_t k, std::vector<Candidate>& best) {
  // Collect what beats the k-th best known so far; cut back to k each time the buffer has doubled.
  constexpr std::size_t kSlack = 64;
  const std::size_t capacity = 2 * std::min(k, all.size()) + kSlack;
  const auto cut_back = [&] {
    const auto kth = best.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(best.begin(), kth, best.end(), better);
    best.resize(k);
  };
  best.clear();
  bool bounded = false;
  float kth_logit = 0;
  for (const Candidate& candidate : all) {
    if (bounded && candidate.logit <= kth_logit) continue;  // ids ascend: an equal logit loses here
    best.push_back(candidate);
    if (best.size() < capacity) continue;
    cut_back();
    kth_logit = best.back().logit;
    bounded = true;
  }
  if (best.size() > k) cut_back();
}

Candidate last_within_mass(std::span<Candidate> scratch, double mass) {
  double before = 0;  // mass of what is better than every one of scratch
  while (scratch.size() > 1) {
    const std::size_t half = scratch.size() / 2;
    std::nth_element(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(half), scratch.end(), better);
    double through_half = before;
    for (const Candidate& candidate : scratch.first(half)) through_half += candidate.weight;
    if (through_half >= mass) {
      scratch = scratch.first(half);
    } else {
      before = through_half;
      scratch = scratch.subspan(half);
    }
  }
  return scratch.front();
}

}  // namespace mie
