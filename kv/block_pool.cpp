#include "kv/block_pool.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <string>

namespace mie {

BlockPool::BlockPool(int n_blocks) {
  ENSURE(n_blocks >= 0, "a pool of " + std::to_string(n_blocks) + " blocks");
  blocks_ = std::vector<Block>(static_cast<std::size_t>(n_blocks));
  free_.reserve(static_cast<std::size_t>(n_blocks));
  for (int id = n_blocks - 1; id >= 0; --id) free_.emplace_back(id);  // block 0 goes out first
}

bool BlockPool::take(int n, std::vector<BlockId>& onto) {
  ENSURE(n >= 0, "taking " + std::to_string(n) + " blocks");
  if (n > n_free()) return false;
  onto.insert(onto.end(), free_.rbegin(), free_.rbegin() + n);  // the last thing here that can throw
  for (auto block = free_.end() - n; block != free_.end(); ++block) at(*block).n_references = 1;
  free_.resize(free_.size() - static_cast<std::size_t>(n));
  return true;
}

void BlockPool::share(BlockId block) {
  Block& shared = at(block);
  ENSURE(shared.n_references > 0 || shared.kept, "sharing the free block " + std::to_string(block.value()));
  if (shared.n_references++ > 0) return;
  cached_.erase(cached_.iterator_to(shared));
  --n_cached_;
}

void BlockPool::release(BlockId block) {
  Block& released = at(block);
  ENSURE(released.n_references > 0, "releasing block " + std::to_string(block.value()) + ", which nobody owns");
  if (--released.n_references > 0) return;
  if (!released.kept) return free_.push_back(block);
  cached_.push_back(released);
  ++n_cached_;
}

void BlockPool::keep(BlockId block) {
  Block& kept = at(block);
  ENSURE(kept.n_references > 0, "keeping block " + std::to_string(block.value()) + ", which nobody owns");
  kept.kept = true;
}

void BlockPool::forget(BlockId block) {
  Block& forgotten = at(block);
  ENSURE(forgotten.kept, "forgetting block " + std::to_string(block.value()) + ", which is not kept");
  forgotten.kept = false;
  if (forgotten.n_references > 0) return;
  cached_.erase(cached_.iterator_to(forgotten));
  --n_cached_;
  free_.push_back(block);
}

std::optional<BlockId> BlockPool::oldest_cached() const {
  if (cached_.empty()) return {};
  return BlockId(static_cast<std::int32_t>(&cached_.front() - blocks_.data()));
}

void BlockPool::check() const {
  std::vector<bool> is_free(blocks_.size(), false);
  for (const BlockId block : free_) {
    const auto index = static_cast<std::size_t>(block.value());
    ENSURE(!is_free[index], "block " + std::to_string(block.value()) + " is in the free list twice");
    ENSURE(at(block).n_references == 0 && !at(block).kept, "block " + std::to_string(block.value()) + " is free and in use");
    is_free[index] = true;
  }
  const auto n_referenced = std::count_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.n_references > 0; });
  const auto is_cached = [](const Block& b) { return b.n_references == 0 && b.kept && b.is_linked(); };
  ENSURE(n_referenced == n_used(), "free, cached and referenced blocks are not all blocks");
  ENSURE(std::count_if(blocks_.begin(), blocks_.end(), is_cached) == n_cached(), "cached blocks are not what is counted");
}

const BlockPool::Block& BlockPool::at(BlockId block) const {
  ENSURE(block.value() >= 0 && block.value() < n_blocks(), "no block " + std::to_string(block.value()) + " in this pool");
  return blocks_[static_cast<std::size_t>(block.value())];
}

}  // namespace mie
