// Finds cached KV blocks by their content: a full block is known by its tokens and by the block before it, so that following
// the chain from the front finds the longest prefix of a prompt that was computed before, at any block boundary. Exact: a
// hash only says where to look. The salt of a chain keeps clients apart that must not see each other's hits.
// An index belongs to one engine, hence to one model. Owned by the engine; the pool outlives it. Engine thread only.
//
// A block that is indexed is kept by the pool when nobody references it any more. Whoever references a block of a chain
// references those before it, and releases it before them, so the oldest cached block is never one that others follow.
#pragma once

#include "core/base/id.h"
#include "kv/block_pool.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mie {

// The blocks of a prefix that were found. Worth what it says until a block of it is evicted; find() brings it up to date.
struct PrefixMatch {
  std::vector<BlockId> blocks{};
  std::uint64_t last = 0;  // the entry of blocks.back()
};

class PrefixIndex {
 public:
  // `secret`: where a hash puts an entry depends on it, so that nobody can aim at one place.
  PrefixIndex(BlockPool& pool, int block_size, std::uint64_t secret = 0);

  // Extends `match` to the longest indexed prefix of `tokens`, at most `n_most` blocks; starts anew where a block of it is
  // gone. O(blocks that were not matched before). Allocates only for match.blocks.
  void find(std::span<const TokenId> tokens, std::string_view salt, int n_most, PrefixMatch& match) const;

  // A number for the block that would hold `tokens` behind `before`, indexed or not; that of another content is another one,
  // but for a chance of 2^-64.
  [[nodiscard]] std::uint64_t hash_of(std::span<const TokenId> tokens, std::string_view salt,
                                      std::optional<BlockId> before) const {
    return key(before ? entry(*before).id : 0, salt, tokens).hash;
  }

  // `block` holds the K,V of the last block_size tokens of `tokens`, behind `before` (none: they are the first). Returns the
  // block that is indexed under this content: another one if it was computed twice.
  // REQUIRES: the caller references both, and `before` is indexed. Allocates for a salt only.
  BlockId add(std::span<const TokenId> tokens, std::string_view salt, std::optional<BlockId> before, BlockId block);

  // Evicts the oldest cached blocks until the pool has `n` free ones or none is cached. Returns how many.
  int make_free(int n);

  // Evicts every cached block; those that are referenced stay. Returns how many.
  int flush() { return make_free(pool_.n_blocks()); }

  [[nodiscard]] bool indexed(BlockId block) const { return entry(block).id != 0; }

  // InvariantError unless the entries are the kept blocks and each has its predecessor and can be found. O(n_blocks).
  void check() const;

 private:
  struct Entry {
    std::uint64_t id = 0;      // unique for the life of the index; 0: the block is not indexed
    std::uint64_t before = 0;  // id of the entry before it; 0: the first of a chain
    std::uint64_t hash = 0;
    std::int32_t next = -1;  // in its bucket
    std::string salt{};      // of a first one
  };
  struct Key {
    std::uint64_t before;
    std::string_view salt;  // empty unless before == 0
    std::span<const TokenId> tokens;
    std::uint64_t hash;
  };

  [[nodiscard]] Key key(std::uint64_t before, std::string_view salt, std::span<const TokenId> tokens) const;
  [[nodiscard]] std::int32_t look_up(const Key& key) const;  // block, or -1
  [[nodiscard]] std::int32_t& bucket(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  [[nodiscard]] std::span<const TokenId> tokens_of(std::int32_t block) const;
  [[nodiscard]] const Entry& entry(BlockId block) const { return entries_.at(static_cast<std::size_t>(block.value())); }
  void erase(BlockId block);

  BlockPool& pool_;
  int block_size_;
  std::uint64_t secret_;
  std::uint64_t last_id_ = 0;
  std::vector<Entry> entries_;         // [n_blocks], by block
  std::vector<TokenId> tokens_;        // [n_blocks, block_size] of indexed blocks
  std::vector<std::int32_t> buckets_;  // a power of two; the first block, -1 for none
};

}  // namespace mie
