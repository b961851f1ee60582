#include "models/sampling/top_candidates.h"

#include <algorithm>
#include <array>
#include <limits>

namespace mie {
namespace {

// Candidates by their distance from the best logit; monotone, so slices are ordered as the candidates in them.
class Slices {
 public:
  static constexpr std::size_t kCount = 256;
  static constexpr float kSteepest = 1e30F;  // finite, so that the best is in slice 0

  Slices(float best, float until)
      : best_(best), per_logit_(best > until ? std::min(static_cast<float>(kCount) / (best - until), kSteepest) : 0) {}

  [[nodiscard]] std::size_t of(const Candidate& candidate) const {
    // Written so that what is no number, a distance past the floats times 0, falls into the last slice.
    const float slice = (best_ - candidate.logit) * per_logit_;
    return slice < static_cast<float>(kCount - 1) ? static_cast<std::size_t>(slice) : kCount - 1;
  }

 private:
  float best_;
  float per_logit_;
};

// end_of_mass by halving: each round orders half of what the round before did. `before`: mass of all that is better.
Candidate end_by_halving(std::span<Candidate> scratch, double before, double mass) {
  while (scratch.size() > 1) {
    const std::size_t half = scratch.size() / 2;
    std::nth_element(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(half), scratch.end(), better);
    const double through_half = before + mass_of(scratch.first(half));
    if (through_half >= mass) {
      scratch = scratch.first(half);
    } else {
      before = through_half;
      scratch = scratch.subspan(half);
    }
  }
  return scratch.front();
}

}  // namespace

void select_best(std::span<const float> logits, BlockMaxima& maxima, std::size_t k, std::vector<Candidate>& best) {
  // Collect what beats the k-th best known so far; cut back to k each time the buffer has doubled.
  constexpr std::size_t kSlack = 64;
  const std::size_t capacity = 2 * std::min(k, logits.size()) + kSlack;
  const auto cut_back = [&] {
    const auto kth = best.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(best.begin(), kth, best.end(), better);
    best.resize(k);
  };
  best.clear();
  const float bound = maxima.reached_by(k);
  const std::span<const float> tops = maxima.of_blocks();
  // What is wanted reaches `bound` and, once k are known, is above the k-th of them: ids ascend, so an equal one loses.
  float above = -std::numeric_limits<float>::infinity();
  bool bounded = false;
  const auto wanted = [&](float logit) { return logit >= bound && !(bounded && logit <= above); };
  for (std::size_t block = 0; block < tops.size(); ++block) {
    if (!wanted(tops[block])) continue;
    const std::size_t first = block * BlockMaxima::kBlock, last = std::min(first + BlockMaxima::kBlock, logits.size());
    for (std::size_t i = first; i < last; ++i) {
      if (!wanted(logits[i])) continue;
      best.push_back({.logit = logits[i], .weight = 0, .id = static_cast<std::int32_t>(i)});
      if (best.size() < capacity) continue;
      cut_back();
      above = best.back().logit;
      bounded = true;
    }
  }
  if (best.size() > k) cut_back();
}

Candidate end_of_mass(std::span<const Candidate> all, double mass, float slices_until, std::vector<Candidate>& scratch) {
  const float best = std::ranges::max_element(all, {}, &Candidate::logit)->logit;
  const Slices slices(best, slices_until);
  std::array<double, Slices::kCount> masses{};
  std::array<bool, Slices::kCount> used{};
  for (const Candidate& candidate : all) {
    masses[slices.of(candidate)] += candidate.weight;
    used[slices.of(candidate)] = true;
  }
  double before = 0;     // mass of the slices before `last`
  double through = 0;    // and with it
  std::size_t last = 0;  // the slice in which the prefix ends
  for (std::size_t slice = 0; slice < Slices::kCount && (slice == 0 || through < mass); ++slice) {
    if (!used[slice]) continue;
    last = slice;
    before = through;
    through += masses[slice];
  }
  scratch.clear();
  std::ranges::copy_if(all, std::back_inserter(scratch), [&](const Candidate& c) { return slices.of(c) == last; });
  return end_by_halving(scratch, before, mass);
}

double mass_of(std::span<const Candidate> candidates) {
  // Four sums: one would wait for each addition to finish.
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= candidates.size(); i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += candidates[i + lane].weight;
  }
  for (; i < candidates.size(); ++i) sums[0] += candidates[i].weight;
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace mie
