// The sampler against a plain one that sorts the whole vocabulary at each step.
#include "models/sampling/counter_rng.h"
#include "models/sampling/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace mie {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Entry {
  int id;
  float logit;
  float weight;
};

void penalise(std::vector<float>& logits, const SamplingRow& row) {
  std::set<int> seen;
  std::map<int, int> counts;
  for (const auto t : row.prompt) seen.insert(t.value());
  for (const auto t : row.generated) seen.insert(t.value());
  for (const auto t : row.generated) ++counts[t.value()];
  for (const int id : seen) {
    float& logit = logits[static_cast<std::size_t>(id)];
    logit = logit > 0 ? logit / row.repetition_penalty : logit * row.repetition_penalty;
  }
  for (const auto [id, n] : counts) {
    float& logit = logits[static_cast<std::size_t>(id)];
    logit = logit - row.frequency_penalty * static_cast<float>(n) - row.presence_penalty;
  }
}

// Everything by definition; the draw walks ids upward, as the sampler promises.
int reference(std::vector<float> logits, const SamplingRow& row, int n_tokens) {
  for (const auto t : row.banned) logits[static_cast<std::size_t>(t.value())] = -kInf;
  penalise(logits, row);
  for (const auto& [t, bias] : row.logit_bias) {
    float& logit = logits[static_cast<std::size_t>(t.value())];
    logit = bias == -100 ? -kInf : logit + bias;
  }
  std::vector<Entry> sorted;
  for (int id = 0; id < n_tokens; ++id) {
    if (logits[static_cast<std::size_t>(id)] != -kInf) sorted.push_back({id, logits[static_cast<std::size_t>(id)], 0});
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.logit > b.logit || (a.logit == b.logit && a.id < b.id); });
  if (row.temperature == 0) return sorted.front().id;
  if (row.top_k > 0 && sorted.size() > static_cast<std::size_t>(row.top_k)) sorted.resize(static_cast<std::size_t>(row.top_k));
  double total = 0;
  for (Entry& e : sorted) total += e.weight = std::exp((e.logit - sorted.front().logit) / row.temperature);
  if (row.top_p < 1) {
    double mass = 0;
    std::size_t n = 0;
    do mass += sorted[n++].weight;
    while (n < sorted.size() && mass < row.top_p * total);
    sorted.resize(n);
  }
  std::erase_if(sorted, [&](const Entry& e) { return e.weight < row.min_p; });
  std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  total = 0;
  for (const Entry& e : sorted) total += e.weight;
  double left = uniform_draw(row.seed, row.position) * total;
  double cumulative = 0;
  for (const Entry& e : sorted) {
    cumulative += e.weight;
    if (cumulative > left) return e.id;
  }
  return sorted.back().id;
}

class RandomRows {
 public:
  explicit RandomRows(int n_vocab) : n_vocab_(n_vocab) {}

  std::vector<float> logits() {
    std::vector<float> out(static_cast<std::size_t>(n_vocab_));
    const bool coarse = random_() % 3 == 0;  // many ties
    const float spread = pick({0.1F, 1.0F, 4.0F, 12.0F});
    std::normal_distribution<float> normal(0, spread);
    for (float& logit : out) {
      logit = coarse ? std::round(normal(random_)) : normal(random_);
      if (random_() % 50 == 0) logit = -kInf;
    }
    return out;
  }

  SamplingRow row() {
    SamplingRow row;
    row.temperature = pick({0, 0.3F, 0.7F, 1, 1, 2});
    row.top_p = pick({1, 1, 0, 0.1F, 0.5F, 0.9F, 0.95F, 0.999F});
    row.min_p = pick({0, 0, 0.01F, 0.1F, 0.5F});
    row.top_k = static_cast<std::int32_t>(pick({0, 0, 1, 5, 50, 100, 1000}));
    row.presence_penalty = pick({0, 0.5F, -2, 2});
    row.frequency_penalty = pick({0, 0.25F, 2});
    row.repetition_penalty = pick({1, 1, 1.3F, 0.5F, 10});
    row.seed = random_();
    row.position = static_cast<std::int64_t>(random_() % 10'000);
    prompt_ = some_tokens(30);
    generated_ = some_tokens(30);
    banned_ = some_tokens(4);
    bias_.clear();
    std::set<int> biased;
    for (const TokenId t : some_tokens(4)) {
      if (biased.insert(t.value()).second) bias_.push_back({t, pick({-100, -3, 3, 99})});
    }
    row.prompt = prompt_;
    row.generated = generated_;
    row.banned = banned_;
    row.logit_bias = bias_;
    return row;
  }

 private:
  float pick(std::initializer_list<float> values) { return values.begin()[random_() % values.size()]; }
  std::vector<TokenId> some_tokens(std::size_t max) {
    std::vector<TokenId> out(random_() % max);
    for (TokenId& t : out) t = TokenId(static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(n_vocab_)));
    return out;
  }

  int n_vocab_;
  std::mt19937_64 random_{20240607};
  std::vector<TokenId> prompt_, generated_, banned_;
  std::vector<LogitBias> bias_;
};

TEST(SamplerReference, AgreesOnRandomRows) {
  constexpr int kVocab = 300;
  constexpr int kTokens = 290;
  Sampler sampler(kVocab, kTokens);
  RandomRows rows(kVocab);
  for (int i = 0; i < 10'000; ++i) {
    const auto logits = rows.logits();
    const auto row = rows.row();
    const int expected = reference(logits, row, kTokens);
    auto scratch = logits;
    ASSERT_EQ(sampler.sample(scratch, row).token.value(), expected)
        << "row " << i << " temperature " << row.temperature << " top_k " << row.top_k << " top_p " << row.top_p << " min_p "
        << row.min_p;
  }
}

TEST(SamplerReference, AgreesOnWholeVocabularies) {
  constexpr int kVocab = 20'000;
  Sampler sampler(kVocab, kVocab);
  RandomRows rows(kVocab);
  for (int i = 0; i < 300; ++i) {
    const auto logits = rows.logits();
    const auto row = rows.row();
    auto scratch = logits;
    ASSERT_EQ(sampler.sample(scratch, row).token.value(), reference(logits, row, kVocab)) << "row " << i;
  }
}

}  // namespace
}  // namespace mie
