#include "kv/usage.h"

#include "core/base/ensure.h"
#include "kv/page_layout.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace mie {
namespace {

std::int64_t total_blocks(std::span<const int> lengths, int block_size) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0},
                         [&](std::int64_t sum, int length) { return sum + blocks_for(length, block_size); });
}

}  // namespace

double KvUsage::utilisation() const {
  return n_blocks == 0 ? 0 : static_cast<double>(n_used_blocks) / static_cast<double>(n_blocks);
}

double KvUsage::waste() const {
  return reserved_slots == 0 ? 0 : static_cast<double>(wasted_slots()) / static_cast<double>(reserved_slots);
}

KvUsage usage_of(const BlockPool& pool, int block_size, std::span<const CachedTokens> sequences) {
  std::vector<CachedBlocks> copies;
  copies.reserve(sequences.size());
  for (const CachedTokens& sequence : sequences) {
    ENSURE(&sequence.table->pool() == &pool && sequence.table->block_size() == block_size, "a table of another cache");
    copies.push_back({sequence.table->blocks(), sequence.n_tokens});
  }
  return usage_of_copy({pool.n_blocks(), pool.n_used()}, block_size, copies);
}

KvUsage usage_of_copy(PoolCounts pool, int block_size, std::span<const CachedBlocks> sequences) {
  std::vector<int> filled(static_cast<std::size_t>(pool.n_blocks), 0);  // slots with a token, by physical block
  for (const CachedBlocks& sequence : sequences) {
    ENSURE(sequence.n_tokens <= std::ssize(sequence.blocks) * block_size, "more tokens than slots");
    int left = sequence.n_tokens;
    for (const BlockId block : sequence.blocks) {
      ENSURE(block.value() >= 0 && block.value() < pool.n_blocks, "a block of another pool");
      int& n = filled[static_cast<std::size_t>(block.value())];
      n = std::max(n, std::min(left, block_size));
      left -= std::min(left, block_size);
    }
  }
  return {.n_blocks = pool.n_blocks,
          .n_used_blocks = pool.n_used_blocks,
          .reserved_slots = std::int64_t{pool.n_used_blocks} * block_size,
          .used_slots = std::accumulate(filled.begin(), filled.end(), std::int64_t{0})};
}

KvUsage usage_of_lengths(std::span<const int> lengths, int block_size) {
  const std::int64_t n_blocks = total_blocks(lengths, block_size);
  ENSURE(n_blocks <= INT32_MAX, "more blocks than an int counts");
  return {.n_blocks = static_cast<int>(n_blocks),
          .n_used_blocks = static_cast<int>(n_blocks),
          .reserved_slots = n_blocks * block_size,
          .used_slots = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})};
}

std::int64_t sequences_that_fit(std::span<const int> lengths, int block_size, int n_blocks) {
  const std::int64_t a_round = total_blocks(lengths, block_size);
  ENSURE(a_round >= 1, "sequences without tokens fit without end");
  std::int64_t n = n_blocks / a_round * static_cast<std::int64_t>(lengths.size());
  std::int64_t left = n_blocks % a_round;
  for (const int length : lengths) {
    left -= blocks_for(length, block_size);
    if (left < 0) break;
    ++n;
  }
  return n;
}

std::int64_t sequences_by_mean(std::span<const int> lengths, int block_size, std::int64_t memory_bytes,
                               std::int64_t bytes_per_token) {
  const std::int64_t n_blocks = total_blocks(lengths, block_size);
  ENSURE(n_blocks >= 1 && bytes_per_token >= 1, "no demand to take the mean of");
  // ⌊memory ÷ (reserved bytes ÷ sequences)⌋ without rounding in between.
  using Wide = __int128;
  const Wide reserved_bytes = Wide{n_blocks} * block_size * bytes_per_token;
  return static_cast<std::int64_t>(Wide{memory_bytes} * static_cast<std::int64_t>(lengths.size()) / reserved_bytes);
}

}  // namespace mie
