// One row of the capacity table: a list of lengths under one block size, counted in closed form, on a live pool, and in
// resident memory. Pure but for the memory; the caller's thread.
#pragma once

#include "bench/kv/length_lists.h"
#include "bench/kv/resident.h"
#include "core/base/error.h"
#include "kv/page_layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mie::bench {

inline constexpr std::int64_t kKvMemoryBytes = std::int64_t{1} << 30;

// The Qwen2.5-0.5B shape in 16-bit numbers: 12 288 bytes a token.
[[nodiscard]] constexpr PageLayout kv_shape(int block_size) {
  return {.block_size = block_size, .n_layers = 24, .n_kv_heads = 2, .head_dim = 64, .element_bytes = 2};
}

// What one way of counting says. Equal values mean that two ways agree.
struct Capacity {
  std::int64_t n_blocks = 0;  // that the whole list takes
  std::int64_t reserved_slots = 0, used_slots = 0;
  std::int64_t by_mean = 0;      // sequences in the memory, from the mean: the seed project's formula
  std::int64_t pool_blocks = 0;  // in the memory
  std::int64_t admitted = 0;  // sequences that this pool takes in the list's order, repeated, until the first that does not fit
  std::int64_t table_bytes = 0;  // of the admitted ones' block tables

  friend bool operator==(const Capacity&, const Capacity&) = default;
};

struct CapacityRow {
  std::string list;
  int block_size = 0;
  int n_sequences = 0;
  std::int64_t contiguous = 0;  // sequences in the memory when each gets the longest one's block
  Capacity closed{}, live{};
  std::int64_t pool_bytes = 0;         // of the pool's own bookkeeping
  std::optional<Resident> resident{};  // of the pool's used blocks when it is full; none where the arena has no such page

  [[nodiscard]] double reserved_mib() const;
  [[nodiscard]] double waste_mib() const;
  [[nodiscard]] double waste_percent() const;  // of the reserved slots
  [[nodiscard]] double saved_percent() const;  // against the longest sequence's block for each
  [[nodiscard]] double times_contiguous() const;
  [[nodiscard]] bool ways_agree() const { return closed == live && (!resident || resident->agrees()); }
};

// Which blocks' memory is written: of a cache with a twelfth of the layers and so of the bytes (the blocks and their number are
// those of the full memory, 86 MiB at most are written at a time), of the whole one (1 GiB), or none.
enum class ResidentMode { kScaled, kFull, kOff };

inline constexpr int kKvBlockSizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, kLongestSequence};

// Errors: those of resident_blocks().
Result<CapacityRow> capacity_row(const LengthList& list, int block_size, ResidentMode mode);

}  // namespace mie::bench
