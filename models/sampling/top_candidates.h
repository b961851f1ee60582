// Which of many candidates are the best, without sorting all of them. The order is total: higher logit first, of equal
// logits the lower id, so a cut at one candidate is unambiguous. Pure functions over the caller's scratch; any thread.
#pragma once

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

// Leaves the k best of `all` in `best`, in no order that matters. One pass and O(k) scratch, O(n) for any k.
// REQUIRES: k ≥ 1; `all` ascends by id.
void select_best(std::span<const Candidate> all, std::size_t k, std::vector<Candidate>& best);

// The last candidate of the shortest prefix, best first, whose weights sum to at least `mass`; the worst one when all of
// them do not. Reorders `scratch`; O(n). REQUIRES: scratch is not empty.
[[nodiscard]] Candidate last_within_mass(std::span<Candidate> scratch, double mass);

}  // namespace mie
