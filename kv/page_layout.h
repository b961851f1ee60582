// Geometry of the paged KV cache: how long a block is, how many bytes it takes, how many fit a memory size.
// The contiguous baseline is the same cache with one block as long as the longest sequence (block size `max`).
// Values and pure functions; any thread.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string_view>

namespace mie {

// Blocks that hold `n_tokens` tokens. blocks_for(0, 16) = 0, blocks_for(16, 16) = 1, blocks_for(17, 16) = 2.
// REQUIRES: n_tokens ≥ 0, block_size ≥ 1. Cannot overflow, unlike (n + size - 1) / size.
[[nodiscard]] constexpr int blocks_for(int n_tokens, int block_size) {
  return n_tokens / block_size + (n_tokens % block_size != 0 ? 1 : 0);
}

// Tokens in a block from its name on the command line: "8", "16", a multiple of 32 up to 256, or "max" = `max_model_len`.
// Error: kConfig with param "block-size".
Result<int> parse_block_size(std::string_view text, int max_model_len);

// Worked example, the Qwen2.5-0.5B shape in 16-bit floats: 24 layers, 2 KV heads of 64 → 2·24·2·64·2 = 12 288 bytes a
// token; a block of 32 tokens is 384 KiB, and 1 GiB holds 2 730 of them.
struct PageLayout {
  int block_size = 0;  // tokens
  int n_layers = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  int element_bytes = 0;  // of one K or V number

  // K and V of one token in all layers. REQUIRES (here and below): every field ≥ 1. ENSURES: no silent overflow.
  [[nodiscard]] std::int64_t bytes_per_token() const;
  [[nodiscard]] std::int64_t bytes_per_block() const;

  // Whole blocks in `memory_bytes`, at most what an int counts; 0 if none fits.
  [[nodiscard]] int blocks_in(std::int64_t memory_bytes) const;
};

}  // namespace mie
