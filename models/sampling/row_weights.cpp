#include "models/sampling/row_weights.h"

#include "models/sampling/exponential.h"

#include <algorithm>
#include <array>

namespace mie {
namespace {

// Eight sums: one would wait for each addition to finish.
double sum_of(const float* weights, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<double>(weights[i + lane]);
  }
  for (; i < n; ++i) sums[0] += static_cast<double>(weights[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

RowWeights::RowWeights(std::size_t n_logits) {
  weights_.reserve(n_logits);
  sums_.reserve((n_logits + kBlock - 1) / kBlock);
}

void RowWeights::measure(std::span<const float> logits, float max, float temperature) {
  weights_.resize(logits.size());
  sums_.clear();
  total_ = 0;
  for (std::size_t first = 0; first < logits.size(); first += kBlock) {
    const std::size_t n = std::min(kBlock, logits.size() - first);
    const float* from = logits.data() + first;
    float* to = weights_.data() + first;
    for (std::size_t i = 0; i < n; ++i) to[i] = exp_nonpositive((from[i] - max) / temperature);
    sums_.push_back(sum_of(to, n));
    total_ += sums_.back();
  }
}

std::size_t RowWeights::first_past(double mass) const {
  double before = 0, through = 0;  // mass before the block that the walk ends in, and with it
  std::size_t last = 0;
  for (std::size_t block = 0; block < sums_.size() && through <= mass; ++block) {
    if (sums_[block] == 0) continue;
    last = block;
    before = through;
    through += sums_[block];
  }
  std::size_t chosen = 0;
  const std::size_t end = std::min((last + 1) * kBlock, weights_.size());
  for (std::size_t id = last * kBlock; id < end; ++id) {
    if (weights_[id] == 0) continue;
    chosen = id;
    before += static_cast<double>(weights_[id]);
    if (before > mass) break;
  }
  return chosen;
}

}  // namespace mie
