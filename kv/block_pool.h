// Which physical KV blocks are free and how often each used one is referenced. Bookkeeping only: the pages themselves
// belong to the model runner. Owned by the engine; outlives every BlockTable and KvReservation. Engine thread only.
#pragma once

#include "core/base/id.h"

#include <cstdint>
#include <vector>

namespace mie {

class BlockPool {
 public:
  // Block ids are 0 … n_blocks - 1. REQUIRES: n_blocks ≥ 0.
  explicit BlockPool(int n_blocks);

  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Appends `n` free blocks to `onto`, each with one reference, and returns true; or changes nothing and returns false
  // where fewer are free. The block released last is handed out first: its page is the likeliest to be in a cache.
  // A throw (negative n, no memory for `onto`) changes nothing. O(n).
  [[nodiscard]] bool take(int n, std::vector<BlockId>& onto);

  // One more owner of a used block. O(1).
  void share(BlockId block);

  // One owner less; the block is free when the last one is gone. Never allocates. O(1).
  // A block that is already free, or no block of this pool: InvariantError, and nothing changed.
  void release(BlockId block);

  [[nodiscard]] int n_blocks() const { return static_cast<int>(n_references_.size()); }
  [[nodiscard]] int n_free() const { return static_cast<int>(free_.size()); }
  [[nodiscard]] int n_used() const { return n_blocks() - n_free(); }

  // 0: free.
  [[nodiscard]] int n_references(BlockId block) const;

  // InvariantError unless free and referenced blocks are all blocks, each once. O(n_blocks).
  void check() const;

 private:
  [[nodiscard]] std::size_t index(BlockId block) const;  // checked

  std::vector<BlockId> free_;               // a stack; its capacity is n_blocks from the start
  std::vector<std::int32_t> n_references_;  // [n_blocks]
};

}  // namespace mie
