#include "models/sampling/block_maxima.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>

namespace mie {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kLanes = 16;

// Vectors of the compiler, in whatever registers the CPU has: left to itself it compares some of the lanes one by one.
using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

// Maximum of a whole block's numbers; lanes of `not_numbers` become -1 where a logit is NaN.
float block_maximum(const float* logits, Ints& not_numbers) {
  Floats best = Floats{} - kInfinity;
  for (std::size_t i = 0; i < BlockMaxima::kBlock; i += kLanes) {
    Floats some;
    std::memcpy(&some, logits + i, sizeof some);
    not_numbers |= some != some;
    best = some > best ? some : best;
  }
  std::array<float, kLanes> lanes;
  std::memcpy(lanes.data(), &best, sizeof best);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] = std::max(lanes[lane], lanes[lane + half]);
  }
  return lanes[0];
}

}  // namespace

BlockMaxima::BlockMaxima(std::size_t n_logits) {
  maxima_.reserve((n_logits + kBlock - 1) / kBlock);
  groups_.reserve((maxima_.capacity() + kGroup - 1) / kGroup);
  ordered_.reserve(maxima_.capacity());
}

bool BlockMaxima::measure(std::span<const float> logits) {
  maxima_.clear();
  Ints not_numbers{};
  std::size_t at = 0;
  for (; at + kBlock <= logits.size(); at += kBlock) maxima_.push_back(block_maximum(logits.data() + at, not_numbers));
  bool sound = true;
  for (std::size_t lane = 0; lane < kLanes; ++lane) sound &= not_numbers[lane] == 0;
  if (at < logits.size()) {
    float best = -kInfinity;
    for (const float logit : logits.subspan(at)) {
      sound &= logit == logit;
      best = std::max(best, logit);
    }
    maxima_.push_back(best);
  }
  groups_.clear();
  for (std::size_t block = 0; block < maxima_.size(); block += kGroup) {
    const auto group = std::span(maxima_).subspan(block, std::min(kGroup, maxima_.size() - block));
    groups_.push_back(*std::ranges::max_element(group));
  }
  return sound && highest() < kInfinity;
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
