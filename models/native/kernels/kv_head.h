// The K and V of one (layer, KV head) across all pages, and where a token's lie: one formula for the kernels that read them
// and for KvPages, which writes them. A value; any thread.
//
// A page holds `page_tokens` tokens as tiles of `tile` = min(page, 32):
//   K tile [D/2][tile][2] bf16, then V tile [tile/2][D][2] bf16; tile t of the page follows tile t - 1.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mie::native {

struct TokenPlace {
  std::byte* tile;
  int offset;  // of the token in the tile
};

struct KvHead {
  std::byte* pages;                 // page p at pages + p * page_stride
  std::int64_t page_stride;         // bytes
  const std::int32_t* block_table;  // page of positions [i * page_tokens, …)
  int page_tokens;
  int tile;
  int head_dim;

  // Inlined always: no ISA unit's copy may serve another. Example, page 64, tile 32: position 100 is slot 36 of page 1, so
  // tile 1, offset 4.
  [[nodiscard]] __attribute__((always_inline)) constexpr TokenPlace place(int position) const {
    const int slot = position % page_tokens;
    std::byte* page = pages + block_table[position / page_tokens] * page_stride;
    return {page + std::int64_t{slot / tile} * tile * head_dim * 4, slot % tile};
  }
  // Bytes from a tile's start to its V.
  [[nodiscard]] __attribute__((always_inline)) constexpr std::int64_t values_at() const {
    return std::int64_t{tile} * head_dim * 2;
  }
};

}  // namespace mie::native
