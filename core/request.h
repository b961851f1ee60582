// What the engine is asked to do: token ids and numbers, no text. Immutable after submit. Value; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/id.h"
#include "core/sampling_params.h"

#include <optional>
#include <string>
#include <vector>

namespace mie {

struct Request {
  RequestId id;  // given by Engine::submit; what the caller puts here is replaced
  std::vector<TokenId> prompt;
  SamplingParams sampling;
  std::vector<TokenId> stop_ids;  // EOS ids (unless ignored) and the client's; sampling one ends the request with kStop
  int max_tokens = 0;             // ≥ 1; 0 when only the prompt's logprobs are wanted
  int min_tokens = 0;             // stop_ids are masked until so many tokens are sampled
  Clock::time_point arrival;      // last byte of the request's head
  std::optional<Clock::time_point> deadline;
  int priority = 0;        // lower goes first
  std::string cache_salt;  // K,V are shared only between equal salts
  int choice = 0;          // of n_choices answers to one prompt, which are submitted one after another
  int n_choices = 1;
  // Each prompt token after the first gets its logprob, its rank and the so many best in its place. Unset: none of it.
  std::optional<int> n_prompt_logprobs{};

  // The logits of prompt positions are needed, so these must be computed, whatever a cache holds of them.
  [[nodiscard]] bool wants_prompt_logits() const { return n_prompt_logprobs.has_value(); }
  [[nodiscard]] int least_max_tokens() const { return wants_prompt_logits() ? 0 : 1; }
};

}  // namespace mie
