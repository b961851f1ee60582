// The text of an echoed prompt and where in it each token begins. Values and pure functions; any thread.
#pragma once

#include "core/text/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mie::api {

struct EchoedPrompt {
  std::string text;
  std::vector<std::int64_t> offsets;  // [tokens] code points of text before the token's
};

// Of a prompt that came as ids. `skip_special`: control tokens add no text.
[[nodiscard]] EchoedPrompt echo_of_ids(const Tokenizer& tokenizer, std::span<const TokenId> ids, bool skip_special);

// Of a prompt that came as `text`. `made_of_text`: its tokens; what `ids` holds before and after them, such as BOS, was added.
struct TextTokens {
  std::size_t first = 0, n = 0;
};
[[nodiscard]] EchoedPrompt echo_of_text(const Tokenizer& tokenizer, std::string text, std::span<const TokenId> ids,
                                        TextTokens made_of_text);

}  // namespace mie::api
