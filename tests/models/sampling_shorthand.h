// Short forms for tests of the sampler. Test code.
#pragma once

#include "models/sampling/sampler.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace mie::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kHuge = std::numeric_limits<float>::max();
inline const SamplingRow kGreedy = {.temperature = 0};

using Logits = std::vector<float>;

inline std::vector<TokenId> ids(const std::vector<int>& values) {
  std::vector<TokenId> tokens;
  for (const int value : values) tokens.emplace_back(value);
  return tokens;
}

inline Sampled sample(Logits logits, const SamplingRow& row) {
  Sampler sampler(static_cast<int>(logits.size()), static_cast<int>(logits.size()));
  return sampler.sample(logits, row);
}
inline int token(const Logits& logits, const SamplingRow& row) { return sample(logits, row).token.value(); }

// Every token that 2,000 positions draw.
inline std::set<int> support(const Logits& logits, SamplingRow row) {
  std::set<int> tokens;
  for (row.position = 0; row.position < 2000; ++row.position) tokens.insert(token(logits, row));
  return tokens;
}

inline Logits log_of(std::vector<double> probabilities) {
  Logits logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

}  // namespace mie::test
