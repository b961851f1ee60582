#include "kv/block_table.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace mie {

BlockTable::BlockTable(BlockPool& pool, int block_size) : pool_(&pool), block_size_(block_size) {
  ENSURE(block_size >= 1, "blocks of " + std::to_string(block_size) + " tokens");
  ENSURE(pool.n_blocks() <= std::numeric_limits<int>::max() / block_size, "a pool of more tokens than an int counts");
}

BlockTable::~BlockTable() { clear(); }

BlockTable::BlockTable(BlockTable&& other) noexcept
    : pool_(other.pool_), block_size_(other.block_size_), blocks_(std::exchange(other.blocks_, {})) {}

BlockTable& BlockTable::operator=(BlockTable&& other) noexcept {
  if (this != &other) {
    clear();
    pool_ = other.pool_;
    block_size_ = other.block_size_;
    blocks_ = std::exchange(other.blocks_, {});
  }
  return *this;
}

bool BlockTable::append(int n) { return pool_->take(n, blocks_); }

void BlockTable::adopt(std::span<const BlockId> blocks) { blocks_.insert(blocks_.end(), blocks.begin(), blocks.end()); }

void BlockTable::share(std::span<const BlockId> blocks) {
  adopt(blocks);
  for (const BlockId block : blocks) pool_->share(block);
}

void BlockTable::make_room(int n) {
  const std::size_t size = blocks_.size() + static_cast<std::size_t>(n);
  if (size > blocks_.capacity()) blocks_.reserve(std::max(size, 2 * blocks_.capacity()));
}

void BlockTable::clear() { keep_first(0); }

void BlockTable::shrink(int n) {
  ENSURE(n >= 0 && n <= n_blocks(), "a table of " + std::to_string(n_blocks()) + " blocks shrinks to " + std::to_string(n));
  keep_first(n);
}

void BlockTable::replace(int n, BlockId block) {
  ENSURE(n >= 0 && n < n_blocks(), "no block " + std::to_string(n) + " in this table");
  pool_->share(block);
  pool_->release(std::exchange(blocks_[static_cast<std::size_t>(n)], block));
}

int BlockTable::n_shared() const {
  const auto shared = [this](BlockId block) { return pool_->n_references(block) > 1; };
  return static_cast<int>(std::partition_point(blocks_.begin(), blocks_.end(), shared) - blocks_.begin());
}

void BlockTable::keep_first(int n) {
  // From the back, so that the next sequence of this length gets the same blocks in the same order.
  while (n_blocks() > n) {
    pool_->release(blocks_.back());
    blocks_.pop_back();
  }
}

KvSlot BlockTable::slot(int position) const {
  ENSURE(position >= 0 && position < capacity(), "position " + std::to_string(position) + " is not mapped");
  return {blocks_[static_cast<std::size_t>(position / block_size_)], position % block_size_};
}

}  // namespace mie
