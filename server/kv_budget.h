// How many KV blocks to take and how long a sequence may be, from the flags and the memory there is. Pure functions.
#pragma once

#include "core/base/error.h"
#include "kv/page_layout.h"
#include "server/config.h"

#include <cstdint>

namespace mie {

struct KvBudgetPlan {
  int block_size = 0;  // tokens
  int n_blocks = 0;
  int max_model_len = 0;  // tokens
  bool lowered = false;   // max_model_len is less than the model's context because the pool holds no more
};

// When the pages of the cache begin to cost memory: all at the start, or each once a token is written to it.
enum class KvTouch { kAtStart, kOnUse };

// `shape`: the model's, block_size not set yet. `free_bytes`: memory that nothing else needs. Where --kv-cache-memory is
// automatic at most half of it is taken; and where it is touched at the start, 2 GiB unless one full context is more: touching
// all that there is would cost every start seconds and every neighbour its share.
// Errors: kConfig: a block size or length that is not allowed, or memory for not even one block.
Result<KvBudgetPlan> plan_kv(const Config& config, int context_length, PageLayout shape, KvTouch touch,
                             std::int64_t free_bytes);

// Memory that can be taken without swapping, in bytes; the cgroup's limit counts.
[[nodiscard]] std::int64_t available_memory_bytes();

}  // namespace mie
