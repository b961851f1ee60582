// The tokenizer and chat template behind `--model fake:<spec>`: a vocabulary that is made up here, so that the whole path
// from HTTP to text runs without weights. Ids 0 … 2 are <|endoftext|>, <|im_start|>, <|im_end|>; 3 … 258 are the bytes; the
// rest are invented words with a space in front. Prompts are one token a byte, since there are no merges. Pure functions.
#pragma once

#include "core/text/tokenizer.h"

#include <string_view>

namespace mie {

inline constexpr TokenId kFakeEos{2};      // <|im_end|>, unless the spec names another
inline constexpr int kFakeMinVocab = 259;  // control tokens and bytes

// REQUIRES: n_vocab ≥ kFakeMinVocab, 0 ≤ eos < n_vocab.
[[nodiscard]] TokenizerConfig fake_tokenizer_config(int n_vocab, TokenId eos);

// ChatML.
[[nodiscard]] std::string_view fake_chat_template();

}  // namespace mie
