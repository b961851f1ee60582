#include "core/text/bpe_merges.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <limits>

namespace mie {

void BpeMerger::merge(std::span<const TokenId> word, std::vector<TokenId>& out) {
  if (word.empty()) return;
  link(word);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, Later{});
    const Candidate next = heap_.back();
    heap_.pop_back();
    const auto now = candidate(next.left);
    if (now && now->rank == next.rank) join(next);
  }
  for (std::int32_t at = 0; at >= 0; at = symbols_[static_cast<std::size_t>(at)].next) {
    out.push_back(symbols_[static_cast<std::size_t>(at)].id);
  }
}

void BpeMerger::link(std::span<const TokenId> word) {
  ENSURE(word.size() < std::numeric_limits<std::int32_t>::max(), "a word of 2 GiB");
  const auto n = static_cast<std::int32_t>(word.size());
  symbols_.clear();
  for (std::int32_t i = 0; i < n; ++i) {
    symbols_.push_back({.id = word[static_cast<std::size_t>(i)], .previous = i - 1, .next = i + 1 < n ? i + 1 : -1});
  }
  heap_.clear();
  for (std::int32_t i = 0; i + 1 < n; ++i) {
    if (const auto pair = candidate(i)) heap_.push_back(*pair);
  }
  std::ranges::make_heap(heap_, Later{});
}

std::optional<BpeMerger::Candidate> BpeMerger::candidate(std::int32_t left) const {
  const Symbol& symbol = symbols_[static_cast<std::size_t>(left)];
  if (symbol.gone || symbol.next < 0) return std::nullopt;
  const auto merge = merges_.find(symbol.id, symbols_[static_cast<std::size_t>(symbol.next)].id);
  if (!merge) return std::nullopt;
  return Candidate{.rank = merge->rank, .left = left, .result = merge->result};
}

void BpeMerger::offer(std::int32_t left) {
  if (left < 0) return;
  if (const auto pair = candidate(left)) {
    heap_.push_back(*pair);
    std::ranges::push_heap(heap_, Later{});
  }
}

void BpeMerger::join(const Candidate& candidate) {
  Symbol& left = symbols_[static_cast<std::size_t>(candidate.left)];
  Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
  right.gone = true;
  left.id = candidate.result;
  left.next = right.next;
  if (left.next >= 0) symbols_[static_cast<std::size_t>(left.next)].previous = candidate.left;
  offer(left.previous);
  offer(candidate.left);
}

}  // namespace mie
