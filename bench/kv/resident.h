// The third way to know what KV blocks cost: write to them in the native backend's page arena and see by how much the
// process's resident memory grows. One at a time; the caller's thread.
#pragma once

#include "core/base/error.h"
#include "kv/block_table.h"
#include "kv/page_layout.h"

#include <cstdint>
#include <span>

namespace mie::bench {

// Of the process's own allocations between the two readings: none are made on purpose.
inline constexpr std::int64_t kResidentOverheadBytes = 16 << 10;

struct Resident {
  std::int64_t expected_bytes = 0;   // blocks × bytes of a block
  std::int64_t measured_bytes = 0;   // growth of the resident set
  std::int64_t tolerance_bytes = 0;  // a page of memory for each tensor (K and V of a layer), and the overhead above

  [[nodiscard]] bool agrees() const;
};

// Writes every byte of `blocks` in an arena of `n_blocks` of this layout, in 4 KiB pages of memory where the system lets us
// choose. Each block once. Errors: kConfig: memory, or a system that does not tell.
Result<Resident> resident_blocks(const PageLayout& layout, int n_blocks, std::span<const BlockId> blocks);

// The arena has pages of 8 and 16 tokens and of multiples of 32.
[[nodiscard]] bool arena_has_pages_of(int block_size);

}  // namespace mie::bench
