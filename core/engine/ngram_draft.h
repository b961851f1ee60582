// Guesses what follows a sequence's last token from the sequence itself: where its last few tokens stood before, the same
// may follow again (prompt lookup). Pure function; any thread.
#pragma once

#include "core/base/id.h"

#include <span>
#include <vector>

namespace mie {

// Up to `n` drafts into `drafts`, whose content is replaced. The place with the longest common ending of up to 4 tokens
// counts, the latest of several; endings of one token say too little and give none. Reads `tokens` once, backwards.
// What follows there may reach the end and then goes on with the drafts themselves, as in a loop.
// Worked examples: tokens [a b c d a b], n 3: "a b" stood at the start, so [c d a]. Tokens [a b a b], n 3: [a b a].
void ngram_draft(std::span<const TokenId> tokens, int n, std::vector<TokenId>& drafts);

}  // namespace mie
