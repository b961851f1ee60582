#include "models/sampling/sampler.h"

#include "core/base/ensure.h"
#include "models/sampling/counter_rng.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mie {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kBan = -100;  // a bias of this much bans the token

std::size_t index(TokenId token) { return static_cast<std::size_t>(token.value()); }

// No branch in the loop: this pass is bound by memory.
void require_sound(std::span<const float> logits) {
  bool unsound = false;
  for (const float logit : logits) unsound |= !(logit < kInfinity);
  if (unsound) throw ModelStepError("the model produced logits that are not numbers");
}

double log_of_sum_of_exponentials(std::span<const float> logits) {
  const float max = *std::ranges::max_element(logits);
  if (max == -kInfinity) throw ModelStepError("the model produced no finite logit");
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - max);
  return max + std::log(sum);
}

}  // namespace

Sampler::Sampler(int n_vocab, int n_tokens)
    : n_vocab_(static_cast<std::size_t>(n_vocab)), n_tokens_(static_cast<std::size_t>(n_tokens)), penalties_(n_vocab_) {
  ENSURE(1 <= n_tokens && n_tokens <= n_vocab, "tokens fit the vocabulary");
  candidates_.reserve(n_tokens_);
  scratch_.reserve(n_tokens_);
}

Sampled Sampler::sample(std::span<float> logits, const SamplingRow& row) {
  ENSURE(logits.size() == n_vocab_, "one logit per row of the vocabulary");
  require_sound(logits);
  const bool logprobs = row.n_top_logprobs >= 0;
  if (logprobs) raw_.assign(logits.begin(), logits.end());

  for (const TokenId token : row.banned) {
    ENSURE(index(token) < n_vocab_, "banned ids are within the vocabulary");
    logits[index(token)] = -kInfinity;
  }
  penalties_.apply(logits, row);
  bias(logits, row);
  Sampled sampled{.token = choose(logits.first(n_tokens_), row), .logprob = 0, .top = {}};
  if (logprobs) report_logprobs(row, sampled);
  return sampled;
}

void Sampler::bias(std::span<float> logits, const SamplingRow& row) const {
  for (const auto& [token, amount] : row.logit_bias) {
    ENSURE(index(token) < n_vocab_, "biased ids are within the vocabulary");
    logits[index(token)] = amount <= kBan ? -kInfinity : logits[index(token)] + amount;
  }
}

TokenId Sampler::choose(std::span<const float> logits, const SamplingRow& row) {
  if (row.temperature <= kGreedyTemperature) {
    const auto best = std::ranges::max_element(logits);  // the first of equals
    if (*best == -kInfinity) throw ModelStepError("every token is masked");
    return TokenId(static_cast<std::int32_t>(best - logits.begin()));
  }
  gather(logits);
  if (row.top_k > 0) keep_top_k(row.top_k);
  weigh(row.temperature);
  if (row.top_p < 1) keep_top_p(row.top_p);
  // Weights are relative to the most probable token, as min_p is.
  if (row.min_p > 0) std::erase_if(candidates_, [&](const Candidate& c) { return c.weight < row.min_p; });
  return draw(row);
}

void Sampler::gather(std::span<const float> logits) {
  candidates_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] == -kInfinity) continue;
    candidates_.push_back({.logit = logits[i], .weight = 0, .id = static_cast<std::int32_t>(i)});
  }
  if (candidates_.empty()) throw ModelStepError("every token is masked");
}

void Sampler::keep_top_k(std::int32_t k) {
  if (static_cast<std::size_t>(k) >= candidates_.size()) return;
  select_best(candidates_, static_cast<std::size_t>(k), scratch_);
  keep_until(*std::ranges::max_element(scratch_, better));
}

void Sampler::weigh(float temperature) {
  const float max = std::ranges::max_element(candidates_, {}, &Candidate::logit)->logit;
  for (Candidate& candidate : candidates_) candidate.weight = std::exp((candidate.logit - max) / temperature);
}

void Sampler::keep_top_p(float top_p) {
  double total = 0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  // All candidates at or below this weight together hold no more than the mass that may be dropped, so the set wanted lies
  // above it: of a model's distribution a few hundred remain. The factor covers rounding.
  const double negligible = 0.999 * (1.0 - top_p) * total / static_cast<double>(candidates_.size());
  scratch_.clear();
  std::ranges::copy_if(candidates_, std::back_inserter(scratch_), [=](const Candidate& c) { return c.weight > negligible; });
  keep_until(last_within_mass(scratch_, top_p * total));
}

void Sampler::keep_until(const Candidate& last) {
  std::erase_if(candidates_, [&](const Candidate& candidate) { return better(last, candidate); });
}

// By id, so that the draw does not depend on how a filter ordered its scratch.
TokenId Sampler::draw(const SamplingRow& row) const {
  double total = 0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  const double target = uniform_draw(row.seed, row.position) * total;
  double cumulative = 0;
  std::int32_t chosen = 0;
  for (const Candidate& candidate : candidates_) {
    if (candidate.weight == 0) continue;
    chosen = candidate.id;  // the last one also stands in when rounding leaves the target unreached
    cumulative += candidate.weight;
    if (cumulative > target) break;
  }
  return TokenId(chosen);
}

void Sampler::report_logprobs(const SamplingRow& row, Sampled& sampled) {
  const double normaliser = log_of_sum_of_exponentials(raw_);
  const auto logprob = [=](float logit) { return static_cast<float>(logit - normaliser); };
  sampled.logprob = logprob(raw_[index(sampled.token)]);
  const auto n_top = std::min(static_cast<std::size_t>(row.n_top_logprobs), n_tokens_);
  if (n_top == 0) return;
  candidates_.clear();
  for (std::size_t i = 0; i < n_tokens_; ++i) {
    candidates_.push_back({.logit = raw_[i], .weight = 0, .id = static_cast<std::int32_t>(i)});
  }
  select_best(candidates_, n_top, scratch_);
  std::ranges::sort(scratch_, better);
  sampled.top.reserve(n_top);
  for (const Candidate& candidate : scratch_) {
    sampled.top.push_back({.token = TokenId(candidate.id), .logprob = logprob(candidate.logit)});
  }
}

}  // namespace mie
