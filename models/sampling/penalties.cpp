#include "models/sampling/penalties.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <limits>

namespace mie {
namespace {

std::size_t index(TokenId token) { return static_cast<std::size_t>(token.value()); }

void require_in_range(std::span<const TokenId> tokens, std::size_t n_vocab) {
  const bool in_range = std::ranges::all_of(tokens, [=](TokenId token) { return index(token) < n_vocab; });
  ENSURE(in_range, "token ids are within the vocabulary");
}

// An extreme penalty must not turn a number into an infinity, which would read as a ban or a broken model.
void replace_finite(float& logit, float value) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (logit != -std::numeric_limits<float>::infinity()) logit = std::clamp(value, -kLargest, kLargest);
}

}  // namespace

void Penalties::apply(std::span<float> logits, const SamplingRow& row) {
  const bool repetition = row.repetition_penalty != 1;
  const bool counting = row.frequency_penalty != 0 || row.presence_penalty != 0;
  if (repetition) require_in_range(row.prompt, logits.size());
  if (repetition || counting) require_in_range(row.generated, logits.size());

  if (repetition) {
    // A positive double may have become a zero float.
    const float penalty = std::max(row.repetition_penalty, std::numeric_limits<float>::min());
    repeat(logits, row.prompt, penalty);
    repeat(logits, row.generated, penalty);
    for (const TokenId token : row.prompt) marked_[index(token)] = false;
    for (const TokenId token : row.generated) marked_[index(token)] = false;
  }
  if (!counting) return;
  for (const TokenId token : row.generated) ++occurrences_[index(token)];
  for (const TokenId token : row.generated) {
    std::int32_t& n = occurrences_[index(token)];
    if (n == 0) continue;  // done at its first occurrence
    float& logit = logits[index(token)];
    replace_finite(logit, logit - row.frequency_penalty * static_cast<float>(n) - row.presence_penalty);
    n = 0;
  }
}

void Penalties::repeat(std::span<float> logits, std::span<const TokenId> tokens, float penalty) {
  for (const TokenId token : tokens) {
    if (marked_[index(token)]) continue;
    marked_[index(token)] = true;
    float& logit = logits[index(token)];
    replace_finite(logit, logit > 0 ? logit / penalty : logit * penalty);
  }
}

}  // namespace mie
