// Byte-pair merging of one word. BpeMerges is the table: owned by a tokenizer, immutable once filled, any thread. BpeMerger
// is the working memory of one encode call.
// Source: Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units", section 3.2.
#pragma once

#include "core/base/id.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mie {

class BpeMerges {
 public:
  struct Merge {
    std::int32_t rank;  // lower is sooner
    TokenId result;
  };

  void reserve(std::size_t n) { merges_.reserve(n); }

  // False, and nothing changed, when the pair has a merge already.
  bool add(TokenId left, TokenId right, Merge merge) { return merges_.emplace(key(left, right), merge).second; }

  [[nodiscard]] std::optional<Merge> find(TokenId left, TokenId right) const {
    const auto found = merges_.find(key(left, right));
    return found == merges_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static std::uint64_t key(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left.value())} << 32 | static_cast<std::uint32_t>(right.value());
  }

  boost::unordered_flat_map<std::uint64_t, Merge> merges_;
};

class BpeMerger {
 public:
  explicit BpeMerger(const BpeMerges& merges) : merges_(merges) {}

  // Appends to `out` what is left of `word` when no neighbours can merge: again and again, of the pairs with the lowest rank
  // the leftmost is merged. O(n log n) in the word.
  void merge(std::span<const TokenId> word, std::vector<TokenId>& out);

 private:
  // A token of the word, in a doubly linked list over its first position. -1: none.
  struct Symbol {
    TokenId id;
    std::int32_t previous, next;
    bool gone = false;  // merged into the one before it
  };
  struct Candidate {
    std::int32_t rank, left;  // left: position in symbols_
    TokenId result;
  };
  struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
    }
  };

  void link(std::span<const TokenId> word);
  [[nodiscard]] std::optional<Candidate> candidate(std::int32_t left) const;
  void offer(std::int32_t left);
  void join(const Candidate& candidate);

  const BpeMerges& merges_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> heap_;  // lowest rank first; entries whose pair has changed since are skipped
};

}  // namespace mie
