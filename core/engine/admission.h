// What a request must be to enter the engine, whatever else runs. The queue limits, which depend on the others, are
// Engine::submit's. Pure functions; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/engine/engine_options.h"
#include "core/request.h"

#include <cstdint>
#include <optional>

namespace mie {

// Tokens that one request may hold: the context, or the whole KV pool if that is smaller.
[[nodiscard]] std::int64_t longest_request(const EngineOptions& options);

[[nodiscard]] Error context_length_exceeded(std::int64_t limit, std::int64_t n_prompt, std::int64_t n_output);

// kContextLengthExceeded: can never fit; kDeadlineExceeded: too late already. Empty: may enter.
// A request that the caller should not have built (no prompt, no output, min_tokens above max_tokens) is an InvariantError.
[[nodiscard]] std::optional<Error> refusal(const Request& request, const EngineOptions& options, Clock::time_point now);

}  // namespace mie
