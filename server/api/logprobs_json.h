// Log-probabilities in the two shapes of the API. Pure functions.
#pragma once

#include "core/text/tokenizer.h"
#include "server/api/choice_text.h"
#include "server/json/response_write.h"

#include <span>

namespace mie::api {

// "logprobs":{"content":[{"token","logprob","bytes","top_logprobs":[…]},…]}
void write_chat_logprobs(json::JsonWriter& out, const Tokenizer& tokenizer, std::span<const TokenEntry> tokens);

// "logprobs":{"tokens":[…],"token_logprobs":[…],"top_logprobs":[{text: logprob}…],"text_offset":[…]}
void write_completion_logprobs(json::JsonWriter& out, const Tokenizer& tokenizer, std::span<const TokenEntry> tokens);

}  // namespace mie::api
