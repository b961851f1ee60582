// Logical → physical blocks of one sequence, and the sequence's references to them: destruction gives them back.
// Owned by a Sequence; the pool outlives it. Engine thread only.
#pragma once

#include "core/base/id.h"
#include "kv/block_pool.h"

#include <span>
#include <vector>

namespace mie {

// Where K and V of one position live: `offset` tokens into page `block`.
struct KvSlot {
  BlockId block;
  int offset = 0;

  friend bool operator==(const KvSlot&, const KvSlot&) = default;
};

// Worked example, block_size 16, table [7, 2, 9] (capacity 48 tokens):
//   position  0 → block 7, offset 0      position 16 → block 2, offset 0      position 32 → block 9, offset 0
//   position 15 → block 7, offset 15     position 31 → block 2, offset 15     position 48 → not mapped
class BlockTable {
 public:
  // REQUIRES: block_size ≥ 1 and all tokens of the pool countable by an int.
  BlockTable(BlockPool& pool, int block_size);
  ~BlockTable();  // ends the process if a block of it was released behind its back: the cache is corrupt then

  BlockTable(BlockTable&& other) noexcept;
  BlockTable& operator=(BlockTable&& other) noexcept;

  // Takes `n` blocks from the pool for the positions from capacity() on; false: too few are free, nothing changed.
  [[nodiscard]] bool append(int n);

  // Takes over one reference to each block, already taken from or shared in this table's pool. The strong guarantee: a
  // throw changes nothing. After make_room(blocks.size()) it does not throw.
  void adopt(std::span<const BlockId> blocks);

  // As adopt(), of blocks that belong to others or are cached: takes a reference to each.
  void share(std::span<const BlockId> blocks);

  // Memory for `n` more entries; grows geometrically.
  void make_room(int n);

  // Gives every block back.
  void clear();

  // Gives all blocks but the first `n` back. REQUIRES: 0 ≤ n ≤ n_blocks().
  void shrink(int n);

  // Puts another block with the same content into the place of one: takes a reference to it, gives the old one back.
  // REQUIRES: 0 ≤ n < n_blocks().
  void replace(int n, BlockId block);

  // Blocks at the front that others reference as well; those behind them are this table's alone. O(log n).
  // REQUIRES: whoever shares a block shares those before it.
  [[nodiscard]] int n_shared() const;

  // REQUIRES: 0 ≤ position < capacity().
  [[nodiscard]] KvSlot slot(int position) const;

  [[nodiscard]] std::span<const BlockId> blocks() const { return blocks_; }
  [[nodiscard]] int n_blocks() const { return static_cast<int>(blocks_.size()); }
  [[nodiscard]] int block_size() const { return block_size_; }
  [[nodiscard]] int capacity() const { return n_blocks() * block_size_; }  // tokens

  [[nodiscard]] const BlockPool& pool() const { return *pool_; }

 private:
  void keep_first(int n);

  BlockPool* pool_;
  int block_size_;  // tokens
  std::vector<BlockId> blocks_;
};

}  // namespace mie
