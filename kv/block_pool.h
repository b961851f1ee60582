// Which physical KV blocks are free and how often each used one is referenced. Bookkeeping only: the pages themselves
// belong to the model runner. Owned by the engine; outlives every BlockTable and KvReservation. Engine thread only.
//
//            take()            last release()
//   free ─────────────→ used ─────────────────→ free, or cached if it is kept
//     ↑                  ↑ │ keep(), forget()
//     └────forget()──────│─┘
//       cached ──share()─┘
//
// A kept block holds content that may be wanted again (prefix_index.h): unreferenced, it is cached instead of free.
#pragma once

#include "core/base/id.h"

#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <optional>
#include <utility>
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

  // One more owner of a used or cached block. O(1).
  void share(BlockId block);

  // One owner less; when the last one is gone the block is free, or cached if it is kept. Never allocates. O(1).
  // A block without an owner, or no block of this pool: InvariantError, and nothing changed.
  void release(BlockId block);

  // What a used block holds may be wanted again. O(1).
  void keep(BlockId block);

  // What a kept block holds is worth nothing any more: it is free if nobody references it. O(1).
  void forget(BlockId block);

  // Of the cached blocks the one that was released longest ago. O(1).
  [[nodiscard]] std::optional<BlockId> oldest_cached() const;

  [[nodiscard]] int n_blocks() const { return static_cast<int>(blocks_.size()); }
  [[nodiscard]] int n_free() const { return static_cast<int>(free_.size()); }
  [[nodiscard]] int n_cached() const { return n_cached_; }
  [[nodiscard]] int n_used() const { return n_blocks() - n_free() - n_cached(); }
  [[nodiscard]] int n_available() const { return n_free() + n_cached(); }  // that nobody references

  // 0: free or cached.
  [[nodiscard]] int n_references(BlockId block) const { return at(block).n_references; }
  [[nodiscard]] bool kept(BlockId block) const { return at(block).kept; }

  // Memory of this bookkeeping.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(free_.capacity() * sizeof(BlockId) + blocks_.capacity() * sizeof(Block));
  }

  // InvariantError unless every block is free, cached or referenced, and exactly one of these. O(n_blocks).
  void check() const;

 private:
  struct Block : boost::intrusive::list_base_hook<> {  // in cached_ while cached
    std::int32_t n_references = 0;
    bool kept = false;
  };

  [[nodiscard]] const Block& at(BlockId block) const;  // checked
  [[nodiscard]] Block& at(BlockId block) { return const_cast<Block&>(std::as_const(*this).at(block)); }

  std::vector<BlockId> free_;  // a stack; its capacity is n_blocks from the start
  std::vector<Block> blocks_;  // [n_blocks]
  boost::intrusive::list<Block, boost::intrusive::constant_time_size<false>> cached_;  // longest first
  int n_cached_ = 0;
};

}  // namespace mie
