#include "core/engine/ngram_draft.h"

#include <algorithm>
#include <cstddef>

namespace mie {
namespace {

constexpr std::size_t kShortest = 2, kLongest = 4;  // tokens of a common ending

// How many of the last tokens before `end` and before the end of all are the same, as far as they count.
std::size_t common_ending(std::span<const TokenId> tokens, std::size_t end) {
  const std::size_t most = std::min(kLongest, end);
  std::size_t n = 0;
  while (n < most && tokens[end - 1 - n] == tokens[tokens.size() - 1 - n]) ++n;
  return n;
}

}  // namespace

void ngram_draft(std::span<const TokenId> tokens, int n, std::vector<TokenId>& drafts) {
  drafts.clear();
  std::size_t best = kShortest - 1, after = 0;
  for (std::size_t end = tokens.size(); end-- > kShortest && best < kLongest;) {
    const std::size_t length = common_ending(tokens, end);
    if (length <= best) continue;
    best = length;
    after = end;
  }
  if (after == 0) return;
  for (std::size_t at = after; at < after + static_cast<std::size_t>(n); ++at)
    drafts.push_back(at < tokens.size() ? tokens[at] : drafts[at - tokens.size()]);
}

}  // namespace mie
