// The JSON of generation answers: whole bodies and stream chunks, chat and completion shapes. Pure functions of values.
#pragma once

#include "core/base/id.h"
#include "core/text/tokenizer.h"
#include "server/api/choice_text.h"
#include "server/json/response_write.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mie::api {

enum class GenerationKind { kChat, kCompletion };

// What is the same in every chunk of an answer.
struct AnswerFrame {
  GenerationKind kind = GenerationKind::kChat;
  std::string id, model, fingerprint;
  std::int64_t created = 0;  // Unix seconds
  int n_top_logprobs = -1;   // -1: none asked
  bool return_token_ids = false;
  bool include_usage = false;  // chunks carry "usage", null or running
  const Tokenizer* tokenizer = nullptr;
};

struct Usage {
  std::int64_t prompt_tokens = 0, completion_tokens = 0, cached_tokens = 0;
};

// Milliseconds since accepted_ns; unset: null.
struct Timings {
  std::int64_t accepted_ns = 0;  // CLOCK_MONOTONIC_RAW at the last byte of the head
  std::optional<double> parsed_ms, tokenized_ms, enqueued_ms, admitted_ms, prefill_start_ms, prefill_end_ms, first_token_ms;
  std::optional<double> first_write_ms, last_token_ms, finished_ms;
  int steps = 0, prefill_tokens = 0, cached_tokens = 0, preemptions = 0, max_batch = 0;
  std::string_view length_cause{};  // "max_tokens", "context" or empty
};

struct ChoiceEnd {
  std::string_view finish_reason;                                  // "stop" or "length"
  std::variant<std::monostate, std::string, TokenId> stop_reason;  // stop string, stop token
  std::optional<Timings> timings{};                                // inside the choice
};

// Parts of a chunk that are not always there.
struct ChunkExtras {
  const std::vector<TokenId>* prompt_ids = nullptr;  // first chunk with return_token_ids
  std::optional<Usage> running_usage{};              // continuous_usage_stats
  std::optional<Timings> timings{};                  // at the top of the last chunk
};

[[nodiscard]] std::string role_chunk(const AnswerFrame& frame, int index, const ChunkExtras& extras);
[[nodiscard]] std::string content_chunk(const AnswerFrame& frame, int index, const TextPiece& piece, const ChunkExtras& extras);
[[nodiscard]] std::string finish_chunk(const AnswerFrame& frame, int index, std::span<const TokenEntry> rest,
                                       const ChoiceEnd& end, const ChunkExtras& extras);
[[nodiscard]] std::string usage_chunk(const AnswerFrame& frame, const Usage& usage, const std::optional<Timings>& timings);

struct ChoiceAnswer {
  std::string text;
  std::vector<TokenEntry> tokens;
  ChoiceEnd end;
  const std::vector<TokenId>* prompt_ids = nullptr;  // with return_token_ids
  std::span<const Sampled> prompt_scores{};          // with prompt_logprobs, else empty
};
[[nodiscard]] std::string whole_answer(const AnswerFrame& frame, std::span<const ChoiceAnswer> choices, const Usage& usage,
                                       const std::optional<Timings>& timings);

// A token as text; one that is not whole UTF-8 as `bytes:\xf0\x9f`.
[[nodiscard]] std::string token_text(const Tokenizer& tokenizer, TokenId id);

}  // namespace mie::api
