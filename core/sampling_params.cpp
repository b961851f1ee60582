#include "core/sampling_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace mie {
namespace {

constexpr double kGreedyBelow = 1e-4;  // temperatures up to this one are 0
constexpr std::size_t kMaxLogitBias = 1024;
constexpr double kMaxBias = 100;

// Penalties down to 5e-324 are valid, but a logit divided by one of those is infinite in fp32, and two of them make a NaN.
// At 1e-6 a repeated token already outweighs any other.
constexpr float kLeastRepetitionPenalty = 1e-6F;

template <class Value>
Error invalid(std::string param, std::string_view range, const Value& got) {
  std::string message = fmt::format("{} must be {}, got {}", param, range, got);
  return {Errc::kInvalidValue, std::move(message), std::move(param)};
}

struct NumberRange {
  const char* param;
  double value, least, most;
};

std::optional<Error> outside(const NumberRange& field) {
  if (field.value >= field.least && field.value <= field.most) return {};  // false for NaN
  return invalid(field.param, fmt::format("between {} and {}", field.least, field.most), field.value);
}

std::optional<Error> wrong_number(const SamplingParams::Raw& raw) {
  if (auto error = outside({"temperature", raw.temperature, 0, 2})) return error;
  if (auto error = outside({"top_p", raw.top_p, 0, 1})) return error;
  if (raw.top_k < -1) return invalid("top_k", "-1, 0 or at least 1", raw.top_k);
  if (auto error = outside({"min_p", raw.min_p, 0, 1})) return error;
  if (auto error = outside({"presence_penalty", raw.presence_penalty, -2, 2})) return error;
  if (auto error = outside({"frequency_penalty", raw.frequency_penalty, -2, 2})) return error;
  if (!(raw.repetition_penalty > 0 && raw.repetition_penalty <= 10))
    return invalid("repetition_penalty", "above 0 and at most 10", raw.repetition_penalty);
  return {};
}

std::optional<Error> wrong_bias(const std::vector<LogitBias>& entries, int n_vocab) {
  if (entries.size() > kMaxLogitBias)
    return invalid("logit_bias", fmt::format("at most {} entries", kMaxLogitBias), entries.size());
  for (const LogitBias& entry : entries) {
    const std::string param = fmt::format("logit_bias.{}", entry.token.value());
    if (entry.token.value() < 0 || entry.token.value() >= n_vocab)
      return invalid(param, fmt::format("for a token id between 0 and {}", n_vocab - 1), entry.token.value());
    if (!(entry.bias >= -kMaxBias && entry.bias <= kMaxBias))
      return invalid(param, fmt::format("between {} and {}", -kMaxBias, kMaxBias), entry.bias);
  }
  return {};
}

}  // namespace

Result<SamplingParams> SamplingParams::from(const Raw& raw, int n_vocab, int max_logprobs) {
  if (auto error = wrong_number(raw)) return *std::move(error);
  if (auto error = wrong_bias(raw.logit_bias, n_vocab)) return *std::move(error);
  constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();
  if (raw.seed > kMaxSeed) return invalid("seed", fmt::format("between 0 and {}", kMaxSeed), raw.seed);
  if (raw.n_top_logprobs < -1 || raw.n_top_logprobs > max_logprobs)
    return invalid("top_logprobs", fmt::format("between 0 and {}", max_logprobs), raw.n_top_logprobs);

  SamplingParams params;
  params.temperature_ = raw.temperature <= kGreedyBelow ? 0 : static_cast<float>(raw.temperature);
  params.top_p_ = static_cast<float>(raw.top_p);
  params.top_k_ = static_cast<std::int32_t>(std::clamp<std::int64_t>(raw.top_k, 0, n_vocab));  // -1 and 0: off
  params.min_p_ = static_cast<float>(raw.min_p);
  params.presence_penalty_ = static_cast<float>(raw.presence_penalty);
  params.frequency_penalty_ = static_cast<float>(raw.frequency_penalty);
  params.repetition_penalty_ = std::max(static_cast<float>(raw.repetition_penalty), kLeastRepetitionPenalty);
  params.n_top_logprobs_ = raw.n_top_logprobs;
  params.seed_ = raw.seed;
  params.logit_bias_ = raw.logit_bias;
  return params;
}

SamplingRow SamplingParams::row() const {
  SamplingRow row;
  row.temperature = temperature_;
  row.top_p = top_p_;
  row.min_p = min_p_;
  row.top_k = top_k_;
  row.presence_penalty = presence_penalty_;
  row.frequency_penalty = frequency_penalty_;
  row.repetition_penalty = repetition_penalty_;
  row.seed = seed_;
  row.n_top_logprobs = n_top_logprobs_;
  row.logit_bias = logit_bias_;
  return row;
}

}  // namespace mie
