// What sequences with a common prefix take when its full blocks are theirs together: in closed form and on a live pool with
// reference counts. The caller's thread.
#pragma once

#include "kv/block_pool.h"
#include "kv/block_table.h"

#include <cstdint>
#include <list>
#include <vector>

namespace mie::bench {

struct SharedPrefix {
  int n_sequences = 0;
  int prefix_tokens = 0;
  int own_tokens = 0;  // of each sequence, after the prefix
};

// ⌊prefix / B⌋ once, and for each sequence the blocks of the prefix's tail and its own tokens.
[[nodiscard]] std::int64_t blocks_with_sharing(const SharedPrefix& shape, int block_size);
[[nodiscard]] std::int64_t blocks_without_sharing(const SharedPrefix& shape, int block_size);

// The sequences on a pool that holds them without sharing: the first takes the prefix, the others share its full blocks.
class SharedPool {
 public:
  SharedPool(const SharedPrefix& shape, int block_size);

  [[nodiscard]] const BlockPool& pool() const { return pool_; }
  [[nodiscard]] std::vector<BlockId> used_blocks() const;  // each once

 private:
  BlockPool pool_;
  std::list<BlockTable> tables_;
};

// One line of the table of section "sharing": both counts, and the pool's.
struct SharingRow {
  int block_size = 0;
  std::int64_t unshared = 0, closed = 0, live = 0;  // blocks

  [[nodiscard]] double saved_percent() const;
  [[nodiscard]] bool ways_agree() const { return closed == live; }
};

// 64 sequences with 1024 tokens in common and 64 of their own.
inline constexpr SharedPrefix kSharedChat{.n_sequences = 64, .prefix_tokens = 1024, .own_tokens = 64};

[[nodiscard]] std::vector<SharingRow> sharing_rows(const SharedPrefix& shape);

}  // namespace mie::bench
