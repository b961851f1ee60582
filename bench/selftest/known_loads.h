// Loads of the self-test: requests that the known-answer server has an answer to. Any thread.
#pragma once

#include "bench/load/load_run.h"
#include "bench/selftest/known_answer_server.h"

#include <chrono>
#include <span>
#include <vector>

namespace mie::bench {

inline constexpr int kKnownPromptTokens = 3;

// `n` requests for `tokens` tokens each, `gap` apart; the seed is the index.
[[nodiscard]] std::vector<PlannedRequest> known_requests(int n, int tokens, std::chrono::nanoseconds gap);
[[nodiscard]] LoadSettings known_settings(const KnownAnswerServer& server);
// A run that could not be prepared has no records, and so passes nothing.
[[nodiscard]] LoadResult run_known(LoadSettings settings, std::vector<PlannedRequest> requests);
[[nodiscard]] AnswerPolicy paced_policy(std::chrono::nanoseconds gap);

[[nodiscard]] int count_of(std::span<const RequestRecord> records, RequestStatus status);

}  // namespace mie::bench
