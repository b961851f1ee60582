#include "kv/block_pool.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <string>

namespace mie {

BlockPool::BlockPool(int n_blocks) {
  ENSURE(n_blocks >= 0, "a pool of " + std::to_string(n_blocks) + " blocks");
  n_references_.assign(static_cast<std::size_t>(n_blocks), 0);
  free_.reserve(static_cast<std::size_t>(n_blocks));
  for (int id = n_blocks - 1; id >= 0; --id) free_.emplace_back(id);  // block 0 goes out first
}

bool BlockPool::take(int n, std::vector<BlockId>& onto) {
  ENSURE(n >= 0, "taking " + std::to_string(n) + " blocks");
  if (n > n_free()) return false;
  onto.insert(onto.end(), free_.rbegin(), free_.rbegin() + n);  // the last thing here that can throw
  for (auto block = free_.end() - n; block != free_.end(); ++block) n_references_[index(*block)] = 1;
  free_.resize(free_.size() - static_cast<std::size_t>(n));
  return true;
}

void BlockPool::share(BlockId block) {
  std::int32_t& n = n_references_[index(block)];
  ENSURE(n > 0, "sharing the free block " + std::to_string(block.value()));
  ++n;
}

void BlockPool::release(BlockId block) {
  std::int32_t& n = n_references_[index(block)];
  ENSURE(n > 0, "releasing the free block " + std::to_string(block.value()));
  if (--n == 0) free_.push_back(block);
}

int BlockPool::n_references(BlockId block) const { return n_references_[index(block)]; }

void BlockPool::check() const {
  std::vector<bool> is_free(n_references_.size(), false);
  for (const BlockId block : free_) {
    ENSURE(!is_free[index(block)], "block " + std::to_string(block.value()) + " is in the free list twice");
    ENSURE(n_references(block) == 0, "block " + std::to_string(block.value()) + " is free and referenced");
    is_free[index(block)] = true;
  }
  const auto n_referenced = std::count_if(n_references_.begin(), n_references_.end(), [](std::int32_t n) { return n > 0; });
  ENSURE(n_referenced == n_used(), "free and referenced blocks are not all blocks");
}

std::size_t BlockPool::index(BlockId block) const {
  ENSURE(block.value() >= 0 && block.value() < n_blocks(), "no block " + std::to_string(block.value()) + " in this pool");
  return static_cast<std::size_t>(block.value());
}

}  // namespace mie
