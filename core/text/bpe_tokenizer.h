// Byte-level BPE: added tokens are cut out, the rest is cut into pieces by the pre-tokenizer, and each piece's bytes are
// merged by rank. A byte that the vocabulary has no token for is dropped before merging, as the reference tokenizers do.
// Owned by the model's services. Immutable after construction; any thread.
#pragma once

#include "core/text/added_tokens.h"
#include "core/text/bpe_merges.h"
#include "core/text/pretokenizer.h"
#include "core/text/tokenizer.h"

#include <array>
#include <cstdint>
#include <optional>

namespace mie {

class BpeTokenizer final : public Tokenizer {
 public:
  // Errors as make_tokenizer's. REQUIRES: config.model is "gpt2".
  static Result<std::unique_ptr<Tokenizer>> make(TokenizerConfig config);

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text, std::span<const ByteRange> literal) const override;
  [[nodiscard]] std::string_view token_bytes(TokenId id) const override;
  [[nodiscard]] TokenKind kind(TokenId id) const override;
  [[nodiscard]] int n_vocab() const override { return static_cast<int>(config_.kinds.size()); }
  [[nodiscard]] std::size_t max_token_bytes() const override { return max_token_bytes_; }
  [[nodiscard]] const TokenizerConfig& config() const override { return config_; }  // without tokens and merges

 private:
  BpeTokenizer(TokenizerConfig config, Pretokenizer pretokenizer);

  [[nodiscard]] Result<void> read_tokens();
  [[nodiscard]] Result<void> read_merges();
  void encode_plain(std::string_view text, BpeMerger& merger, std::vector<TokenId>& ids) const;
  [[nodiscard]] std::size_t index(TokenId id) const;

  TokenizerConfig config_;
  Pretokenizer pretokenizer_;
  AddedTokens added_;
  BpeMerges merges_;
  std::array<std::optional<TokenId>, 256> byte_ids_;
  std::string bytes_;                      // of all tokens, one after the other
  std::vector<std::size_t> byte_offsets_;  // [n_vocab + 1] into bytes_
  std::size_t max_token_bytes_ = 0;
};

}  // namespace mie
