#include "models/native/gathered_kv.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace mie::native {
namespace {

constexpr std::int32_t kOnlyPage = 0;
constexpr int kLargestTile = 32;    // tokens
constexpr int kOnePiece = 1 << 30;  // tokens of the one page: more than any sequence, a multiple of every tile

}  // namespace

std::size_t gathered_bytes(int n_positions, int head_dim) {
  const int n_tiles = (n_positions + kLargestTile - 1) / kLargestTile;
  return static_cast<std::size_t>(n_tiles) * kLargestTile * static_cast<std::size_t>(head_dim) * 4;
}

KvHead gather(const KvHead& kv, int first, int last, std::span<std::byte> room) {
  const auto tile_bytes = static_cast<std::size_t>(kv.tile) * static_cast<std::size_t>(kv.head_dim) * 4;
  KvHead whole{.pages = room.data(),
               .page_stride = 0,
               .block_table = &kOnlyPage,
               .page_tokens = kOnePiece,
               .tile = kv.tile,
               .head_dim = kv.head_dim};
  for (int position = first - first % kv.tile; position < last; position += kv.tile)
    std::memcpy(whole.place(position).tile, kv.place(position).tile, tile_bytes);
  return whole;
}

}  // namespace mie::native
