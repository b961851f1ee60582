#include "core/text/added_tokens.h"

#include "core/base/ensure.h"

#include <algorithm>

namespace mie {
namespace {

bool touches(ByteRange range, std::span<const ByteRange> literal) {
  auto next = std::ranges::upper_bound(literal, range.begin, {}, &ByteRange::end);
  for (; next != literal.end() && next->begin < range.end; ++next) {
    if (next->begin < next->end) return true;  // an empty range holds no character
  }
  return false;
}

}  // namespace

void AddedTokens::add(std::string_view text, TokenId id, bool control) {
  ENSURE(!text.empty(), "an added token without text");
  begins_[static_cast<unsigned char>(text[0])] = true;
  std::size_t at = 0;
  for (const char byte : text) {
    if (const Node* next = child(nodes_[at], byte)) {
      at = static_cast<std::size_t>(next - nodes_.data());
      continue;
    }
    nodes_[at].children.emplace_back(byte, static_cast<std::uint32_t>(nodes_.size()));
    at = nodes_.size();
    nodes_.emplace_back();
  }
  nodes_[at].id = id;
  nodes_[at].control = control;
}

const AddedTokens::Node* AddedTokens::child(const Node& node, char byte) const {
  const auto found = std::ranges::find(node.children, byte, &std::pair<char, std::uint32_t>::first);
  return found == node.children.end() ? nullptr : &nodes_[found->second];
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text, std::size_t from,
                                                    std::span<const ByteRange> literal) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!begins_[static_cast<unsigned char>(text[begin])]) continue;
    if (auto match = longest_at(text, begin, literal)) return match;
  }
  return std::nullopt;
}

std::optional<AddedTokens::Match> AddedTokens::longest_at(std::string_view text, std::size_t begin,
                                                          std::span<const ByteRange> literal) const {
  std::optional<Match> longest;
  const Node* node = &nodes_[0];
  for (std::size_t end = begin; end < text.size();) {
    node = child(*node, text[end++]);
    if (node == nullptr) break;
    if (!node->id) continue;
    const ByteRange at{begin, end};
    if (node->control && touches(at, literal)) continue;
    longest = Match{.at = at, .id = *node->id};
  }
  return longest;
}

}  // namespace mie
