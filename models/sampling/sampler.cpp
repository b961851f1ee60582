#include "models/sampling/sampler.h"

#include "core/base/ensure.h"
#include "models/sampling/counter_rng.h"
#include "models/sampling/exponential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mie {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kBan = -100;  // a bias of this much bans the token

// Worse than every candidate of finite logit.
constexpr Candidate kLastFinite = {
    .logit = std::numeric_limits<float>::lowest(), .weight = 0, .id = std::numeric_limits<std::int32_t>::max()};

std::size_t index(TokenId token) { return static_cast<std::size_t>(token.value()); }

// No branch in the loop: this pass is bound by memory.
void require_sound(std::span<const float> logits) {
  bool unsound = false;
  for (const float logit : logits) unsound |= !(logit < kInfinity);
  if (unsound) throw ModelStepError("the model produced logits that are not numbers");
}

// Lanes let the compiler compare several at a time.
float highest(std::span<const float> logits) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> best;
  best.fill(-kInfinity);
  std::size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      best[lane] = logits[i + lane] > best[lane] ? logits[i + lane] : best[lane];
  }
  for (; i < logits.size(); ++i) best[0] = std::max(best[0], logits[i]);
  return *std::ranges::max_element(best);
}

// Calls body(first, block) for [0, n) in blocks that stay in the nearest cache.
template <class Body>
void in_blocks(std::size_t n, const Body& body) {
  std::array<float, 512> buffer;
  for (std::size_t first = 0; first < n; first += buffer.size()) {
    body(first, std::span(buffer).first(std::min(buffer.size(), n - first)));
  }
}

// Apart from its loads and stores, so that it vectorises.
void exponentiate(std::span<float> values) {
  for (float& value : values) value = exp_nonpositive(value);
}

double log_of_sum_of_exponentials(std::span<const float> logits) {
  const float max = highest(logits);
  if (max == -kInfinity) throw ModelStepError("the model produced no finite logit");
  double sum = 0;
  in_blocks(logits.size(), [&](std::size_t first, std::span<float> block) {
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = logits[first + i] - max;
    exponentiate(block);
    for (const float weight : block) sum += weight;
  });
  return max + std::log(sum);
}

}  // namespace

Sampler::Sampler(int n_vocab, int n_tokens)
    : n_vocab_(static_cast<std::size_t>(n_vocab)),
      n_tokens_(static_cast<std::size_t>(n_tokens)),
      penalties_(n_vocab_),
      storage_(n_tokens_) {
  ENSURE(1 <= n_tokens && n_tokens <= n_vocab, "tokens fit the vocabulary");
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
  const float max = highest(logits);
  if (max == -kInfinity) throw ModelStepError("every token is masked");
  if (row.temperature <= kGreedyTemperature) {
    return TokenId(static_cast<std::int32_t>(std::ranges::find(logits, max) - logits.begin()));  // the first of equals
  }
  gather(logits, row.top_k > 0 ? end_of_top_k(logits, row.top_k) : kLastFinite, max, row.temperature);
  if (row.top_p < 1) keep_top_p(row.top_p, max, row.temperature);
  // Weights are relative to the most probable token, as min_p is.
  if (row.min_p > 0) drop_if([&](const Candidate& candidate) { return candidate.weight < row.min_p; });
  return draw(row);
}

Candidate Sampler::end_of_top_k(std::span<const float> logits, std::int32_t k) {
  if (static_cast<std::size_t>(k) >= logits.size()) return kLastFinite;
  select_best(logits, static_cast<std::size_t>(k), scratch_);
  const Candidate last = *std::ranges::max_element(scratch_, better);
  return better(last, kLastFinite) ? last : kLastFinite;
}

// Candidates are what `last` does not beat. No branch on the comparison: it is as good as random.
void Sampler::gather(std::span<const float> logits, const Candidate& last, float max, float temperature) {
  Candidate* end = storage_.data();
  std::int32_t id = 0;
  for (const float logit : logits) {
    *end = {.logit = logit, .weight = 0, .id = id};
    end += static_cast<int>(logit > last.logit) | (static_cast<int>(logit == last.logit) & static_cast<int>(id <= last.id));
    ++id;
  }
  candidates_ = {storage_.data(), end};
  in_blocks(candidates_.size(), [&](std::size_t first, std::span<float> block) {
    const std::span<Candidate> part = candidates_.subspan(first, block.size());
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = (part[i].logit - max) / temperature;
    exponentiate(block);
    for (std::size_t i = 0; i < block.size(); ++i) part[i].weight = block[i];
  });
}

void Sampler::keep_top_p(float top_p, float max, float temperature) {
  const double total = mass_of(candidates_);
  // All candidates at or below this weight together hold no more than the mass that may be dropped, so the end lies above.
  const double negligible = (1.0 - top_p) * total / static_cast<double>(candidates_.size());
  const auto negligible_logit = static_cast<float>(max + temperature * std::log(negligible));
  const Candidate last = end_of_mass(candidates_, top_p * total, negligible_logit, scratch_);
  drop_if([&](const Candidate& candidate) { return better(last, candidate); });
}

template <class Predicate>
void Sampler::drop_if(const Predicate& predicate) {
  const auto dropped = std::ranges::remove_if(candidates_, predicate);
  candidates_ = candidates_.first(candidates_.size() - dropped.size());
}

// By id, so that the draw does not depend on how a filter ordered its scratch.
TokenId Sampler::draw(const SamplingRow& row) const {
  const double target = uniform_draw(row.seed, row.position) * mass_of(candidates_);
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
  select_best(std::span(raw_).first(n_tokens_), n_top, scratch_);
  std::ranges::sort(scratch_, better);
  sampled.top.reserve(n_top);
  for (const Candidate& candidate : scratch_) {
    sampled.top.push_back({.token = TokenId(candidate.id), .logprob = logprob(candidate.logit)});
  }
}

}  // namespace mie
