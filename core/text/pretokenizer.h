// Cuts text into the pieces within which a BPE tokenizer merges. A pre-tokenizer is a table row in pretokenizer.cpp: a name as
// GGUF's tokenizer.ggml.pre writes it and a list of regular expressions. Each expression in turn cuts every piece into its
// matches and what lies between them.
// Owned by a tokenizer. Immutable after make; any thread.
#pragma once

#include "core/base/error.h"

#include <memory>
#include <string_view>
#include <vector>

namespace mie {

class Pretokenizer {
 public:
  // kModelFormat: "pre-tokenizer 'foo' is not supported".
  static Result<Pretokenizer> make(std::string_view name);

  // Pieces of `text` in order; none is empty and together they are `text`. Bytes that belong to no well-formed code point
  // are pieces of their own, one each, and the text between them is cut as if it stood alone. Linear in the text for the
  // expressions of the table.
  [[nodiscard]] std::vector<std::string_view> split(std::string_view text) const;

  Pretokenizer(Pretokenizer&&) noexcept;
  Pretokenizer& operator=(Pretokenizer&&) noexcept;
  ~Pretokenizer();

 private:
  struct Compiled;
  explicit Pretokenizer(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace mie
