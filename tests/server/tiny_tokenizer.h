// A tokenizer for tests: the vocabulary is what the test says; encode takes the longest piece at each place.
#pragma once

#include "core/text/tokenizer.h"

#include <string>
#include <utility>
#include <vector>

namespace mie::test {

class TinyTokenizer final : public Tokenizer {
 public:
  struct Piece {
    std::string bytes;
    TokenKind kind = TokenKind::kNormal;
  };
  explicit TinyTokenizer(std::vector<Piece> pieces, std::vector<TokenId> eos = {}, std::vector<TokenId> bos = {})
      : pieces_(std::move(pieces)) {
    config_.eos_ids = std::move(eos);
    config_.bos_id = std::move(bos);
    config_.add_bos = !config_.bos_id.empty();
  }

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text, std::span<const ByteRange>) const override {
    std::vector<TokenId> ids;
    while (!text.empty()) {
      std::size_t best = 0, length = 0;
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const auto& bytes = pieces_[i].bytes;
        if (bytes.size() > length && text.starts_with(bytes)) best = i, length = bytes.size();
      }
      if (length == 0) throw std::logic_error("the tiny vocabulary lacks a piece of " + std::string(text));
      ids.emplace_back(static_cast<std::int32_t>(best));
      text.remove_prefix(length);
    }
    return ids;
  }
  [[nodiscard]] std::string_view token_bytes(TokenId id) const override { return piece(id).bytes; }
  [[nodiscard]] TokenKind kind(TokenId id) const override { return piece(id).kind; }
  [[nodiscard]] int n_vocab() const override { return static_cast<int>(pieces_.size()); }
  [[nodiscard]] std::size_t max_token_bytes() const override {
    std::size_t longest = 0;
    for (const auto& piece : pieces_) longest = std::max(longest, piece.bytes.size());
    return longest;
  }
  [[nodiscard]] const TokenizerConfig& config() const override { return config_; }

 private:
  [[nodiscard]] const Piece& piece(TokenId id) const { return pieces_.at(static_cast<std::size_t>(id.value())); }
  std::vector<Piece> pieces_;
  TokenizerConfig config_;
};

}  // namespace mie::test
