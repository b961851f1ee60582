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

// Whether the logits that are chosen from may differ from those of the model.
bool changes_logits(const SamplingRow& row) {
  return !row.banned.empty() || !row.logit_bias.empty() || row.repetition_penalty != 1 || row.frequency_penalty != 0 ||
         row.presence_penalty != 0;
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

}  // namespace

Sampler::Sampler(int n_vocab, int n_tokens)
    : n_vocab_(static_cast<std::size_t>(n_vocab)),
      n_tokens_(static_cast<std::size_t>(n_tokens)),
      penalties_(n_vocab_),
      maxima_(n_vocab_),
      weights_(n_vocab_),
      storage_(n_tokens_) {
  ENSURE(1 <= n_tokens && n_tokens <= n_vocab, "tokens fit the vocabulary");
  scratch_.reserve(n_tokens_);
}

Sampled Sampler::sample(std::span<float> logits, const SamplingRow& row) {
  ENSURE(logits.size() == n_vocab_, "one logit per row of the vocabulary");
  measure(logits);
  if (row.score) return score(logits, row);
  const bool logprobs = row.n_top_logprobs >= 0;
  if (logprobs) raw_.assign(logits.begin(), logits.end());

  for (const TokenId token : row.banned) {
    ENSURE(index(token) < n_vocab_, "banned ids are within the vocabulary");
    logits[index(token)] = -kInfinity;
  }
  penalties_.apply(logits, row);
  bias(logits, row);
  if (changes_logits(row) || n_tokens_ < n_vocab_) (void)maxima_.measure(logits.first(n_tokens_));
  Sampled sampled{.token = choose(logits.first(n_tokens_), row), .logprob = 0, .top = {}};
  if (logprobs) {
    (void)maxima_.measure(raw_);
    report_logprobs(raw_, row, sampled);
  }
  return sampled;
}

Sampled Sampler::score(std::span<const float> logits, const SamplingRow& row) {
  const std::size_t scored = index(*row.score);
  ENSURE(scored < n_vocab_ && row.n_top_logprobs >= 0, "a token of the vocabulary is scored, and told of");
  Sampled sampled{.token = *row.score, .logprob = 0, .top = {}};
  report_logprobs(logits, row, sampled);
  const float own = logits[scored];
  const auto listed = logits.first(n_tokens_);
  const auto n_above = std::ranges::count_if(listed, [own](float logit) { return logit > own; });
  const auto n_equal = std::ranges::count(listed.first(std::min(scored, n_tokens_)), own);
  sampled.rank = static_cast<std::int32_t>(1 + n_above + n_equal);
  return sampled;
}

void Sampler::measure(std::span<const float> logits) {
  if (!maxima_.measure(logits)) throw ModelStepError("the model produced logits that are not numbers");
}

void Sampler::bias(std::span<float> logits, const SamplingRow& row) const {
  for (const auto& [token, amount] : row.logit_bias) {
    ENSURE(index(token) < n_vocab_, "biased ids are within the vocabulary");
    logits[index(token)] = amount <= kBan ? -kInfinity : logits[index(token)] + amount;
  }
}

TokenId Sampler::choose(std::span<const float> logits, const SamplingRow& row) {
  const float max = maxima_.highest();
  if (max == -kInfinity) throw ModelStepError("every token is masked");
  if (row.temperature <= kGreedyTemperature) {  // the first of equals
    return TokenId(static_cast<std::int32_t>(maxima_.first_of_highest(logits)));
  }
  if (row.top_k > 0 && static_cast<std::size_t>(row.top_k) < logits.size()) {
    gather_top_k(logits, static_cast<std::size_t>(row.top_k));
    weigh(max, row.temperature);
    if (row.top_p < 1) keep_top_p(row, mass_of(candidates_), max);
  } else {
    weights_.measure(logits, max, row.temperature);
    const double total = weights_.total();
    if (row.top_p >= 1 && row.min_p <= 0) {
      return TokenId(static_cast<std::int32_t>(weights_.first_past(uniform_draw(row.seed, row.position) * total)));
    }
    gather_weighty(logits, row);
    if (row.top_p < 1) keep_top_p(row, total, max);
  }
  // Weights are relative to the most probable token, as min_p is.
  if (row.min_p > 0) drop_if([&](const Candidate& candidate) { return candidate.weight < row.min_p; });
  return draw(row);
}

void Sampler::gather_top_k(std::span<const float> logits, std::size_t k) {
  constexpr std::size_t kMostSorted = 1024;  // from there on a pass over the row is quicker than a sort
  select_best(logits, maxima_, k, scratch_);
  if (k > kMostSorted) {
    const Candidate last = *std::ranges::max_element(scratch_, better);
    return gather(logits, better(last, kLastFinite) ? last : kLastFinite);
  }
  std::erase_if(scratch_, [](const Candidate& candidate) { return candidate.logit == -kInfinity; });
  std::ranges::sort(scratch_, {}, &Candidate::id);
  std::ranges::copy(scratch_, storage_.begin());
  candidates_ = std::span(storage_).first(scratch_.size());
}

// Candidates are what `last` does not beat. No branch on the comparison: it is as good as random.
void Sampler::gather(std::span<const float> logits, const Candidate& last) {
  Candidate* end = storage_.data();
  std::int32_t id = 0;
  for (const float logit : logits) {
    *end = {.logit = logit, .weight = 0, .id = id};
    end += static_cast<int>(logit > last.logit) | (static_cast<int>(logit == last.logit) & static_cast<int>(id <= last.id));
    ++id;
  }
  candidates_ = {storage_.data(), end};
}

void Sampler::weigh(float max, float temperature) {
  in_blocks(candidates_.size(), [&](std::size_t first, std::span<float> block) {
    const std::span<Candidate> part = candidates_.subspan(first, block.size());
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = (part[i].logit - max) / temperature;
    exponentiate(block);
    for (std::size_t i = 0; i < block.size(); ++i) part[i].weight = block[i];
  });
}

// Leaves out what neither min_p nor top_p can keep: all ids that weigh less than the mean of what top_p may drop hold no
// more than that together. Half of it, so that no rounding matters.
void Sampler::gather_weighty(std::span<const float> logits, const SamplingRow& row) {
  const double droppable = (1.0 - std::min(row.top_p, 1.0F)) * weights_.total() / static_cast<double>(logits.size());
  const auto least = std::max({row.min_p, static_cast<float>(droppable / 2), std::numeric_limits<float>::min()});
  Candidate* end = storage_.data();
  std::int32_t id = 0;
  for (const float weight : weights_.weights()) {  // no branch on the comparison: it is as good as random
    *end = {.logit = logits[static_cast<std::size_t>(id)], .weight = weight, .id = id};
    end += static_cast<int>(weight >= least);
    ++id;
  }
  candidates_ = {storage_.data(), end};
}

// `total`: the mass that top_p is a share of.
void Sampler::keep_top_p(const SamplingRow& row, double total, float max) {
  // All candidates at or below this weight together hold no more than the mass that may be dropped, so the end lies above.
  const double negligible = (1.0 - row.top_p) * total / static_cast<double>(candidates_.size());
  const auto negligible_logit = static_cast<float>(max + row.temperature * std::log(negligible));
  const Candidate last = end_of_mass(candidates_, row.top_p * total, negligible_logit, scratch_);
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

// REQUIRES: maxima_ has measured `raw`.
void Sampler::report_logprobs(std::span<const float> raw, const SamplingRow& row, Sampled& sampled) {
  const float max = maxima_.highest();
  if (max == -kInfinity) throw ModelStepError("the model produced no finite logit");
  weights_.measure(raw, max, /*temperature=*/1);
  const double normaliser = max + std::log(weights_.total());
  const auto logprob = [=](float logit) { return static_cast<float>(logit - normaliser); };
  sampled.logprob = logprob(raw[index(sampled.token)]);
  const auto n_top = std::min(static_cast<std::size_t>(row.n_top_logprobs), n_tokens_);
  if (n_top == 0) return;
  const auto listed = raw.first(n_tokens_);
  if (n_tokens_ < n_vocab_) (void)maxima_.measure(listed);
  select_best(listed, maxima_, n_top, scratch_);
  std::ranges::sort(scratch_, better);
  sampled.top.reserve(n_top);
  for (const Candidate& candidate : scratch_) {
    sampled.top.push_back({.token = TokenId(candidate.id), .logprob = logprob(candidate.logit)});
  }
}

}  // namespace mie
