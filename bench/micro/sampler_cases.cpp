#include "bench/micro/sampler_cases.h"

#include "bench/micro/random_weights.h"
#include "models/sampling/sampler.h"

namespace mie::bench {
namespace {

constexpr std::uint64_t kRows = 2;
constexpr float kSpread = 3;  // of a confident model's logits

SamplingRow row_of(float temperature, std::int32_t top_k, float top_p, float min_p = 0) {
  SamplingRow row;
  row.temperature = temperature;
  row.top_k = top_k;
  row.top_p = top_p;
  row.min_p = min_p;
  return row;
}

}  // namespace

void run_sampler_cases(MicroSession& session) {
  const int n_vocab = session.sizes().n_vocab;
  std::vector<std::vector<float>> logits;
  logits.reserve(kRows);
  for (std::uint64_t seed = 0; seed < kRows; ++seed) {
    logits.push_back(random_floats(static_cast<std::size_t>(n_vocab), kSpread, seed));
  }
  Sampler sampler(n_vocab, n_vocab);
  constexpr int kHistory = 256;
  std::vector<TokenId> history;
  history.reserve(kHistory);
  for (int i = 0; i < kHistory; ++i) history.emplace_back(i * 37 % n_vocab);
  SamplingRow penalised = row_of(1, 40, 0.95F);
  penalised.repetition_penalty = 1.1F;
  penalised.prompt = history;
  std::size_t at = 0;
  const auto measure = [&](const std::string& name, SamplingRow row) {
    session.measure({.name = "sampler/" + name, .bytes = 4.0 * n_vocab, .on_pool = false, .run = [&] {
                       row.position = static_cast<std::int64_t>(++at);
                       (void)sampler.sample(logits[at % kRows], row);
                     }});
  };
  measure("greedy", row_of(0, 0, 1));
  measure("top-k-40-top-p-0.95", row_of(1, 40, 0.95F));
  measure("penalties-top-k-40-top-p-0.95", penalised);
  measure("top-p-0.95", row_of(1, 0, 0.95F));
  measure("min-p-0.05", row_of(1, 0, 1, 0.05F));
  measure("plain", row_of(1, 0, 1));
}

}  // namespace mie::bench
