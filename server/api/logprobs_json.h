// Log-probabilities in the two shapes of the API. Pure functions.
#pragma once

#include "core/text/tokenizer.h"
#include "server/api/choice_text.h"
#include "server/json/response_write.h"

#include <span>

namespace mie::api {

// "logprobs":{"content":[{"token","logprob","bytes","top_logprobs":[…]},…]}
void write_chat_logprobs(json::JsonWriter& out, const Tokenizer& tokenizer, std::span<const TokenEntry> tokens);

// "logprobs":{"tokens":[…],"token_logprobs":[…],"top_logprobs":[{text: logprob}…],"text_offset":[…]}; null for the first token
// of a prompt.
void write_completion_logprobs(json::JsonWriter& out, const Tokenizer& tokenizer, std::span<const TokenEntry> tokens);

// "prompt_logprobs":[null,{id: {"logprob","rank","decoded_token"},…},…] of all tokens of a prompt: each the token itself, then
// the best ones in its place.
void write_prompt_logprobs(json::JsonWriter& out, const Tokenizer& tokenizer, std::span<const Sampled> prompt);

}  // namespace mie::api
