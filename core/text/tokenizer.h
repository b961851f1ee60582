// Text to token ids and back. Implementations: bpe_tokenizer (byte-level BPE), later SentencePiece. Immutable after
// construction; every method is const and may be called from any thread.
#pragma once

#include "core/base/error.h"
#include "core/base/id.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

// Half-open range of bytes of a text.
struct ByteRange {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Which vocabulary entry is what, as the model file says.
enum class TokenKind { kNormal, kUnknown, kControl, kUserDefined, kUnused, kByte };

// What a model file says about its tokenizer; loaders (GGUF metadata, later tokenizer.json) fill it.
struct TokenizerConfig {
  std::string model;                     // "gpt2" = byte-level BPE
  std::string pre_tokenizer;             // "smollm"
  std::vector<std::string> tokens;       // as stored: byte-level alphabet for BPE
  std::vector<TokenKind> kinds;          // [tokens]
  std::vector<std::string> merges;       // "left right", by rank
  std::vector<TokenId> bos_id, eos_ids;  // bos: empty or one; eos: every id that ends a turn or a text
  bool add_bos = false;                  // completions start with BOS
  bool add_eos = false;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Ids of `text`. Control tokens written out in the text are recognised, except where any of their characters lies in one
  // of `literal` (sorted, disjoint): there they are ordinary text. Other added tokens are always recognised. Adds no BOS.
  // Invalid UTF-8 is tokenized byte by byte, never refused.
  [[nodiscard]] virtual std::vector<TokenId> encode(std::string_view text, std::span<const ByteRange> literal = {}) const = 0;

  // Bytes that a token stands for; a control token's are its written form ("<|im_end|>"). Empty for ids without a token.
  // REQUIRES: 0 <= id < n_vocab().
  [[nodiscard]] virtual std::string_view token_bytes(TokenId id) const = 0;

  [[nodiscard]] virtual TokenKind kind(TokenId id) const = 0;
  [[nodiscard]] virtual int n_vocab() const = 0;
  [[nodiscard]] virtual std::size_t max_token_bytes() const = 0;    // longest token_bytes; bounds a prompt's size early
  [[nodiscard]] virtual const TokenizerConfig& config() const = 0;  // bos, eos, add_bos; tokens and merges may be moved out

  // Control tokens and EOS are hidden from text unless skip_special_tokens is false.
  [[nodiscard]] bool special(TokenId id) const { return kind(id) == TokenKind::kControl; }
};

// Error kModelFormat: a component that is not implemented, by name ("pre-tokenizer 'foo' is not supported"), or a config
// that contradicts itself (merge of unknown tokens, duplicate tokens, ids out of range).
Result<std::unique_ptr<Tokenizer>> make_tokenizer(TokenizerConfig config);

}  // namespace mie
