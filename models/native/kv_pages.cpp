#include "models/native/kv_pages.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mie::native {
namespace {

constexpr int kTile = 32;  // tokens

int tile_of(int block_size) { return block_size == 8 || block_size == 16 ? block_size : kTile; }

}  // namespace

std::int64_t KvPages::head_bytes(const ModelSpec& spec, int block_size) {
  const int tile = tile_of(block_size);
  const std::int64_t n_tiles = (block_size + tile - 1) / tile;
  return n_tiles * tile * spec.head_dim * 4;  // K and V, two bytes each
}

Result<KvPages> KvPages::make(const ModelSpec& spec, int n_blocks, int block_size) {
  const std::int64_t bytes = head_bytes(spec, block_size) * spec.n_kv_heads * spec.n_layers * n_blocks;
  auto arena = Arena::reserve(static_cast<std::size_t>(bytes));
  if (!arena) return arena.error();
  return KvPages(std::move(*arena), spec, n_blocks, block_size);
}

KvPages::KvPages(Arena arena, const ModelSpec& spec, int n_blocks, int block_size)
    : arena_(std::move(arena)),
      n_layers_(spec.n_layers),
      n_blocks_(n_blocks),
      block_size_(block_size),
      head_dim_(spec.head_dim),
      tile_(tile_of(block_size)),
      head_bytes_(head_bytes(spec, block_size)),
      page_bytes_(head_bytes_ * spec.n_kv_heads) {
  base_ = arena_.take(static_cast<std::size_t>(bytes()));
}

KvHead KvPages::head(int layer, int kv_head, const std::int32_t* block_table) const {
  std::byte* pages = base_ + std::int64_t{layer} * n_blocks_ * page_bytes_ + kv_head * head_bytes_;
  return {pages, page_bytes_, block_table, block_size_, tile_, head_dim_};
}

void KvPages::copy(BlockCopy copy) {
  for (int layer = 0; layer < n_layers_; ++layer) {
    std::byte* pages = base_ + std::int64_t{layer} * n_blocks_ * page_bytes_;
    std::memcpy(pages + copy.to * page_bytes_, pages + copy.from * page_bytes_, static_cast<std::size_t>(page_bytes_));
  }
}

void KvPages::store_key(const KvHead& kv, int position, std::span<const std::uint16_t> k) {
  const TokenPlace at = kv.place(position);
  const std::ptrdiff_t stride = std::ptrdiff_t{kv.tile} * 4;  // between pairs of dimensions
  std::byte* to = at.tile + std::ptrdiff_t{at.offset} * 4;
  for (std::size_t d = 0; d < k.size(); d += 2, to += stride) std::memcpy(to, &k[d], 4);
}

void KvPages::store_value(const KvHead& kv, int position, std::span<const std::uint16_t> v) {
  const TokenPlace at = kv.place(position);
  std::byte* to = at.tile + kv.values_at() + std::int64_t{at.offset / 2} * kv.head_dim * 4;
  if (at.offset % 2 == 0) {
    for (const std::uint16_t value : v) {
      const std::uint32_t pair = value;  // the odd half is 0 until its token comes
      std::memcpy(to, &pair, 4);
      to += 4;
    }
  } else {
    for (const std::uint16_t value : v) {
      std::memcpy(to + 2, &value, 2);
      to += 4;
    }
  }
}

std::uint16_t KvPages::key(const KvHead& kv, int position, int dim) {
  const TokenPlace at = kv.place(position);
  std::uint16_t stored = 0;
  std::memcpy(&stored,
              at.tile + std::ptrdiff_t{dim / 2} * kv.tile * 4 + std::ptrdiff_t{at.offset} * 4 + std::ptrdiff_t{dim % 2} * 2, 2);
  return stored;
}

std::uint16_t KvPages::value(const KvHead& kv, int position, int dim) {
  const TokenPlace at = kv.place(position);
  const std::int64_t pair = std::int64_t{at.offset / 2} * kv.head_dim * 4;
  std::uint16_t stored = 0;
  std::memcpy(&stored, at.tile + kv.values_at() + pair + std::ptrdiff_t{dim} * 4 + std::ptrdiff_t{at.offset % 2} * 2, 2);
  return stored;
}

}  // namespace mie::native
