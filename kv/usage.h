// How well the KV cache's memory is used: figures over the live pool, and the same from lengths alone, so that the two can
// be held against each other. Pure functions; usage_of() reads the pool and so belongs to the engine thread.
//
// Words: a *slot* holds K and V of one token. Reserved slots are those of used blocks; a reserved slot without a token is
// wasted (internal fragmentation: the unfilled tails of last blocks). A paged pool has no external fragmentation: any free
// block serves any sequence.
#pragma once

#include "kv/block_pool.h"
#include "kv/block_table.h"

#include <cstdint>
#include <span>

namespace mie {

struct KvUsage {
  int n_blocks = 0;       // in the pool
  int n_used_blocks = 0;  // referenced by someone
  std::int64_t reserved_slots = 0;
  std::int64_t used_slots = 0;  // with a token; a slot that sequences share counts once

  [[nodiscard]] std::int64_t wasted_slots() const { return reserved_slots - used_slots; }
  [[nodiscard]] double utilisation() const;  // used ÷ all blocks, 0 … 1; 0 for an empty pool
  [[nodiscard]] double waste() const;        // wasted ÷ reserved slots, 0 … 1; 0 when nothing is reserved
};

// One sequence: its table, and how many of its tokens are in the cache.
struct CachedTokens {
  const BlockTable* table;
  int n_tokens;
};

// The live figures. A used block that no listed sequence maps counts as reserved and empty. O(n_blocks).
// REQUIRES: n_tokens ≤ table capacity; tables of this pool, block_size its block length.
KvUsage usage_of(const BlockPool& pool, int block_size, std::span<const CachedTokens> sequences);

// One sequence as a copy of the live state has it (core/engine/snapshot.h).
struct CachedBlocks {
  std::span<const BlockId> blocks;
  int n_tokens;
};

// A pool as such a copy has it.
struct PoolCounts {
  int n_blocks = 0, n_used_blocks = 0;
};

// usage_of() the pool and tables that were copied. REQUIRES: block ids below n_blocks, n_tokens within the blocks.
KvUsage usage_of_copy(PoolCounts pool, int block_size, std::span<const CachedBlocks> sequences);

// What sequences of these lengths reserve without sharing, in a pool of exactly the blocks they need.
KvUsage usage_of_lengths(std::span<const int> lengths, int block_size);

// How many sequences a pool takes in the order of the list, the list repeated, until the first that does not fit.
// REQUIRES: some length ≥ 1.
std::int64_t sequences_that_fit(std::span<const int> lengths, int block_size, int n_blocks);

// The estimate from mean demand: all blocks ÷ mean blocks a sequence, rounded down. Memory that is not a whole number of
// blocks is not cut: ⌊memory ÷ mean reserved bytes⌋. It overstates a pool that the long sequences reach first.
std::int64_t sequences_by_mean(std::span<const int> lengths, int block_size, std::int64_t memory_bytes,
                               std::int64_t bytes_per_token);

}  // namespace mie
