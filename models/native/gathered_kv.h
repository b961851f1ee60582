// K and V of a sequence copied out of their pages into one piece, as engines without paged kernels do it. A baseline: see
// switches.h. Pure functions.
#pragma once

#include "models/native/kernels/kv_head.h"

#include <cstddef>
#include <span>

namespace mie::native {

// Bytes that `n_positions` of one KV head take, whatever their tile.
[[nodiscard]] std::size_t gathered_bytes(int n_positions, int head_dim);

// Copies the tiles that hold the positions [first, last) to where they lie in one piece that begins at position 0.
// REQUIRES: room.size() ≥ gathered_bytes(last, kv.head_dim). The result points into `room`.
[[nodiscard]] KvHead gather(const KvHead& kv, int first, int last, std::span<std::byte> room);

}  // namespace mie::native
