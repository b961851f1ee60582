#include "core/engine/admission.h"

#include "core/base/ensure.h"

#include <fmt/format.h>

#include <algorithm>

namespace mie {

std::int64_t longest_request(const EngineOptions& options) {
  return std::min<std::int64_t>(options.max_model_len, std::int64_t{options.n_blocks} * options.block_size);
}

Error context_length_exceeded(std::int64_t limit, std::int64_t n_prompt, std::int64_t n_output) {
  return {Errc::kContextLengthExceeded,
          fmt::format("maximum context length is {} tokens; requested {} ({} in the prompt, {} for the completion)", limit,
                      n_prompt + n_output, n_prompt, n_output)};
}

std::optional<Error> refusal(const Request& request, const EngineOptions& options, Clock::time_point now) {
  ENSURE(!request.prompt.empty(), "a request has a prompt");
  ENSURE(request.max_tokens >= request.least_max_tokens(), "a request asks for a token, or for its prompt's logprobs");
  ENSURE(request.min_tokens >= 0 && request.min_tokens <= request.max_tokens, "min_tokens is within 0 … max_tokens");
  const auto n_prompt = static_cast<std::int64_t>(request.prompt.size());
  const std::int64_t limit = longest_request(options);
  if (n_prompt + request.max_tokens > limit) return context_length_exceeded(limit, n_prompt, request.max_tokens);
  if (request.deadline && now >= *request.deadline)
    return Error{Errc::kDeadlineExceeded, "the deadline of the request has passed"};
  return {};
}

}  // namespace mie
