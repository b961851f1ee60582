#include "bench/kv/capacity.h"

#include "core/base/ensure.h"
#include "kv/block_pool.h"
#include "kv/block_table.h"
#include "kv/usage.h"
#include "server/kv_budget.h"

#include <algorithm>
#include <deque>

namespace mie::bench {
namespace {

constexpr int kScaledLayers = 2;  // of 24
constexpr double kMiB = 1 << 20;
constexpr int kEntryBytes = 4;  // of a block id in a table

Capacity closed_form(const LengthList& list, int block_size) {
  const std::int64_t token_bytes = kv_shape(block_size).bytes_per_token();
  const KvUsage usage = usage_of_lengths(list.lengths, block_size);
  Capacity closed{.n_blocks = usage.n_used_blocks, .reserved_slots = usage.reserved_slots, .used_slots = usage.used_slots};
  closed.by_mean = sequences_by_mean(list.lengths, block_size, kKvMemoryBytes, token_bytes);
  closed.pool_blocks = kKvMemoryBytes / (block_size * token_bytes);
  closed.admitted = sequences_that_fit(list.lengths, block_size, static_cast<int>(closed.pool_blocks));
  for (std::int64_t i = 0; i < closed.admitted; ++i) {
    const int length = list.lengths[static_cast<std::size_t>(i) % list.lengths.size()];
    closed.table_bytes += std::int64_t{blocks_for(length, block_size)} * kEntryBytes;
  }
  return closed;
}

// Blocks of the pool that a server with this --block-size and --kv-cache-memory makes; the layout's own for sizes that the
// server does not take.
int pool_blocks(int block_size) {
  Config config;
  config.block_size = block_size == kLongestSequence ? "max" : std::to_string(block_size);
  config.max_model_len = kLongestSequence;
  config.kv_cache_memory_bytes = kKvMemoryBytes;
  const auto plan = plan_kv(config, kLongestSequence, kv_shape(0), KvTouch::kOnUse, 0);
  return plan.has_error() ? kv_shape(block_size).blocks_in(kKvMemoryBytes) : plan->n_blocks;
}

// Sequences with tables of their own on one pool.
struct LivePool {
  LivePool(int n_blocks, int size) : pool(n_blocks), block_size(size) {}

  // False: it does not fit, and nothing was taken.
  bool admit(int length) {
    BlockTable table(pool, block_size);
    if (!table.append(blocks_for(length, block_size))) return false;
    tables.push_back(std::move(table));
    return true;
  }

  BlockPool pool;
  int block_size;
  std::deque<BlockTable> tables{};
};

// The whole list at once, in a pool as large as the longest sequences would need.
KvUsage live_usage(const LengthList& list, int block_size) {
  const int n_sequences = static_cast<int>(list.lengths.size());
  LivePool live(n_sequences * blocks_for(kLongestSequence, block_size), block_size);
  std::vector<CachedTokens> sequences;
  for (const int length : list.lengths) {
    ENSURE(live.admit(length), "no sequence is longer than the longest");
    sequences.push_back({&live.tables.back(), length});
  }
  live.pool.check();
  return usage_of(live.pool, block_size, sequences);
}

std::vector<BlockId> used_blocks(const LivePool& live) {
  std::vector<BlockId> used;
  for (const BlockTable& table : live.tables) used.insert(used.end(), table.blocks().begin(), table.blocks().end());
  return used;
}

}  // namespace

double CapacityRow::reserved_mib() const {
  return static_cast<double>(closed.reserved_slots * kv_shape(1).bytes_per_token()) / kMiB;
}

double CapacityRow::waste_mib() const {
  return static_cast<double>((closed.reserved_slots - closed.used_slots) * kv_shape(1).bytes_per_token()) / kMiB;
}

double CapacityRow::waste_percent() const {
  return 100 * static_cast<double>(closed.reserved_slots - closed.used_slots) / static_cast<double>(closed.reserved_slots);
}

double CapacityRow::saved_percent() const {
  return 100 * (1 - static_cast<double>(closed.reserved_slots) / (static_cast<double>(n_sequences) * kLongestSequence));
}

double CapacityRow::times_contiguous() const { return static_cast<double>(closed.by_mean) / static_cast<double>(contiguous); }

Result<CapacityRow> capacity_row(const LengthList& list, int block_size, ResidentMode mode) {
  CapacityRow row{.list = list.name, .block_size = block_size, .n_sequences = static_cast<int>(list.lengths.size())};
  row.contiguous = kv_shape(kLongestSequence).blocks_in(kKvMemoryBytes);
  row.closed = closed_form(list, block_size);

  const KvUsage usage = live_usage(list, block_size);
  row.live = {.n_blocks = usage.n_used_blocks, .reserved_slots = usage.reserved_slots, .used_slots = usage.used_slots};
  const std::int64_t reserved_bytes = usage.reserved_slots * kv_shape(block_size).bytes_per_token();
  row.live.by_mean = kKvMemoryBytes * row.n_sequences / reserved_bytes;

  LivePool live(pool_blocks(block_size), block_size);
  while (live.admit(list.lengths[live.tables.size() % list.lengths.size()])) {
  }
  live.pool.check();
  row.live.pool_blocks = live.pool.n_blocks();
  row.live.admitted = std::ssize(live.tables);
  row.pool_bytes = live.pool.bytes();
  for (const BlockTable& table : live.tables) row.live.table_bytes += static_cast<std::int64_t>(table.blocks().size_bytes());
  if (mode == ResidentMode::kOff || !arena_has_pages_of(block_size)) return row;

  PageLayout layout = kv_shape(block_size);
  if (mode == ResidentMode::kScaled) layout.n_layers = kScaledLayers;
  const auto resident = resident_blocks(layout, live.pool.n_blocks(), used_blocks(live));
  if (!resident) return resident.error();
  row.resident = *resident;
  return row;
}

}  // namespace mie::bench
