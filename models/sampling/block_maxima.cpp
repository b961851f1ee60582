#include "models/sampling/block_maxima.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>

namespace mie {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kLanes = 16;  // that the compiler compares several at a time

using Unsound = std::array<std::int32_t, kLanes>;

// Maximum of a whole block; lanes of `unsound` become -1 where a logit is NaN or +inf.
float block_maximum(const float* logits, Unsound& unsound) {
  std::array<float, kLanes> best;
  best.fill(-kInfinity);
  for (std::size_t i = 0; i < BlockMaxima::kBlock; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float logit = logits[i + lane];
      unsound[lane] |= logit < kInfinity ? 0 : -1;
      best[lane] = logit > best[lane] ? logit : best[lane];
    }
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) best[lane] = std::max(best[lane], best[lane + half]);
  }
  return best[0];
}

}  // namespace

BlockMaxima::BlockMaxima(std::size_t n_logits) {
  maxima_.reserve((n_logits + kBlock - 1) / kBlock);
  groups_.reserve((maxima_.capacity() + kGroup - 1) / kGroup);
  ordered_.reserve(maxima_.capacity());
}

bool BlockMaxima::measure(std::span<const float> logits) {
  maxima_.clear();
  Unsound unsound{};
  std::size_t at = 0;
  for (; at + kBlock <= logits.size(); at += kBlock) maxima_.push_back(block_maximum(logits.data() + at, unsound));
  bool sound = std::ranges::all_of(unsound, [](std::int32_t lane) { return lane == 0; });
  if (at < logits.size()) {
    float best = -kInfinity;
    for (const float logit : logits.subspan(at)) {
      sound &= logit < kInfinity;
      best = std::max(best, logit);
    }
    maxima_.push_back(best);
  }
  groups_.clear();
  for (std::size_t block = 0; block < maxima_.size(); block += kGroup) {
    const auto group = std::span(maxima_).subspan(block, std::min(kGroup, maxima_.size() - block));
    groups_.push_back(*std::ranges::max_element(group));
  }
  return sound;
}

float BlockMaxima::highest() const { return groups_.empty() ? -kInfinity : *std::ranges::max_element(groups_); }

std::size_t BlockMaxima::first_of_highest(std::span<const float> logits) const {
  const float max = highest();
  const auto block = static_cast<std::size_t>(std::ranges::find(maxima_, max) - maxima_.begin());
  const auto rest = logits.subspan(block * kBlock);
  return block * kBlock + static_cast<std::size_t>(std::ranges::find(rest, max) - rest.begin());
}

float BlockMaxima::reached_by(std::size_t k) {
  if (k > maxima_.size()) return -kInfinity;
  // Few of many groups give a bound as good as that of the blocks.
  const std::vector<float>& maxima = 2 * k <= groups_.size() ? groups_ : maxima_;
  ordered_.assign(maxima.begin(), maxima.end());
  const auto kth = ordered_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(ordered_.begin(), kth, ordered_.end(), std::greater<>());
  return *kth;
}

}  // namespace mie
