// Tokens that are cut out of a text before anything else looks at it: control tokens ("<|im_end|>") and those that the
// model's makers added. Leftmost first, the longest of those that begin together, as the reference tokenizers do.
// Owned by a tokenizer. Immutable once filled; any thread.
#pragma once

#include "core/base/id.h"
#include "core/text/tokenizer.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mie {

class AddedTokens {
 public:
  struct Match {
    ByteRange at;
    TokenId id;
  };

  // `control`: not recognised where one of its characters lies in a literal range. REQUIRES: text is not empty.
  void add(std::string_view text, TokenId id, bool control);

  // The next added token at or after `from`. `literal`: sorted, disjoint. Costs O(bytes passed × longest added token).
  [[nodiscard]] std::optional<Match> find(std::string_view text, std::size_t from, std::span<const ByteRange> literal) const;

 private:
  // A trie over bytes.
  struct Node {
    std::vector<std::pair<char, std::uint32_t>> children;
    std::optional<TokenId> id;  // of the token that ends here
    bool control = false;
  };

  [[nodiscard]] const Node* child(const Node& node, char byte) const;
  [[nodiscard]] std::optional<Match> longest_at(std::string_view text, std::size_t begin,
                                                std::span<const ByteRange> literal) const;

  std::vector<Node> nodes_ = std::vector<Node>(1);  // [0] is the root
  std::array<bool, 256> begins_{};                  // [byte]: some token begins with it
};

}  // namespace mie
