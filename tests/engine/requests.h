// Requests for the engine tests and what a right engine answers to them. Values; any thread.
#pragma once

#include "core/request.h"
#include "models/fake_runner.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace mie::test {

inline SamplingParams sampling_of(double temperature, std::uint64_t seed = 0) {
  SamplingParams::Raw raw;
  raw.temperature = temperature;
  raw.seed = seed;
  return *SamplingParams::from(raw, 1000);
}

// `seed` makes the prompt; equal seeds give equal prompts.
inline Request make_request(int seed, int n_prompt, int max_tokens) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  Request request;
  request.sampling = sampling_of(0);
  for (int i = 0; i < n_prompt; ++i) request.prompt.emplace_back(static_cast<std::int32_t>(random() % 1000));
  request.max_tokens = max_tokens;
  return request;
}

inline std::vector<TokenId> expected(const FakeOptions& model, const Request& request) {
  return FakeRunner::expected_tokens(model, request.prompt, request.max_tokens, request.sampling.row(), request.stop_ids,
                                     request.min_tokens);
}

// Whether `tokens` is where a right answer would be after as many tokens.
inline bool is_prefix(const std::vector<TokenId>& tokens, const std::vector<TokenId>& of) {
  return tokens.size() <= of.size() && std::equal(tokens.begin(), tokens.end(), of.begin());
}

}  // namespace mie::test
