// A model of the Llama family, small enough to write in a test, with seeded random weights and a byte-level BPE vocabulary
// of the 256 bytes, three control tokens and a few merges. Test code.
#pragma once

#include "models/weights/quant_format.h"
#include "tests/fakes/gguf_builder.h"

#include <cstdint>

namespace mie::test {

struct TinyLlama {
  std::uint32_t n_layers = 2;
  std::uint32_t hidden = 64;
  std::uint32_t n_heads = 4;
  std::uint32_t n_kv_heads = 2;
  std::uint32_t ffn_hidden = 96;
  std::uint32_t n_vocab = 288;  // the tokens, then padding rows
  std::uint32_t context_length = 256;
  QuantFormat weights = QuantFormat::kF32;  // of the matrices; norms are F32
  bool tied = true;
  std::uint64_t seed = 1;
};

inline constexpr int kTinyLlamaTokens = 3 + 256 + 4;  // ids 0 to 2: <|endoftext|>, <|im_start|>, <|im_end|>

[[nodiscard]] GgufBuilder tiny_llama(const TinyLlama& shape);

}  // namespace mie::test
