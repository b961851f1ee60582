// Which of many candidates are the best, without sorting all of them. The order is total: higher logit first, of equal
// logits the lower id, so a cut at one candidate is unambiguous. Pure functions over the caller's scratch; any thread.
#pragma once

#include "models/sampling/block_maxima.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mie {

struct Candidate {
  float logit = 0;
  float weight = 0;  // exp((logit - max) / temperature); unset before the temperature step
  std::int32_t id = 0;
};

[[nodiscard]] inline bool better(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// Leaves the k best ids of `logits` in `best`, in no order that matters; all of them where k is more. Looks into blocks that
// can hold one of them only, O(k) scratch, O(n) for any k. REQUIRES: k ≥ 1; `maxima` has measured these logits.
void select_best(std::span<const float> logits, BlockMaxima& maxima, std::size_t k, std::vector<Candidate>& best);

// Where the shortest prefix, best first, whose weights sum to `mass` ends: its last candidate, or the worst of all when
// they do not reach it. O(n): only the slice of logits that the end falls into is ordered, and `slices_until`, a logit
// at or above which the end is expected, sets how wide slices are. REQUIRES: `all` is not empty.
[[nodiscard]] Candidate end_of_mass(std::span<const Candidate> all, double mass, float slices_until,
                                    std::vector<Candidate>& scratch);

// Sum of weights, in an order that depends on their number alone.
[[nodiscard]] double mass_of(std::span<const Candidate> candidates);

}  // namespace mie
