#include "bench/kv/sharing.h"

#include "core/base/ensure.h"
#include "kv/page_layout.h"

namespace mie::bench {
namespace {

int n_shared(const SharedPrefix& shape, int block_size) { return shape.prefix_tokens / block_size; }

int n_own(const SharedPrefix& shape, int block_size) {
  return blocks_for(shape.prefix_tokens % block_size + shape.own_tokens, block_size);
}

}  // namespace

std::int64_t blocks_with_sharing(const SharedPrefix& shape, int block_size) {
  return n_shared(shape, block_size) + std::int64_t{shape.n_sequences} * n_own(shape, block_size);
}

std::int64_t blocks_without_sharing(const SharedPrefix& shape, int block_size) {
  return std::int64_t{shape.n_sequences} * blocks_for(shape.prefix_tokens + shape.own_tokens, block_size);
}

SharedPool::SharedPool(const SharedPrefix& shape, int block_size)
    : pool_(static_cast<int>(blocks_without_sharing(shape, block_size))) {
  BlockTable& first = tables_.emplace_back(pool_, block_size);
  ENSURE(first.append(blocks_for(shape.prefix_tokens + shape.own_tokens, block_size)), "the pool holds them unshared");
  const auto prefix = first.blocks().first(static_cast<std::size_t>(n_shared(shape, block_size)));
  while (std::ssize(tables_) < shape.n_sequences) {
    BlockTable& table = tables_.emplace_back(pool_, block_size);
    table.make_room(static_cast<int>(prefix.size()));
    for (const BlockId block : prefix) pool_.share(block);
    table.adopt(prefix);
    ENSURE(table.append(n_own(shape, block_size)), "the pool holds them unshared");
  }
  pool_.check();
}

std::vector<BlockId> SharedPool::used_blocks() const {
  std::vector<BlockId> used;
  for (int id = 0; id < pool_.n_blocks(); ++id) {
    if (pool_.n_references(BlockId(id)) > 0) used.emplace_back(id);
  }
  return used;
}

double SharingRow::saved_percent() const { return 100 * (1 - static_cast<double>(closed) / static_cast<double>(unshared)); }

std::vector<SharingRow> sharing_rows(const SharedPrefix& shape) {
  std::vector<SharingRow> rows;
  for (const int block_size : {8, 16, 32, 64, 128, 256}) {
    const SharedPool live(shape, block_size);
    rows.push_back({.block_size = block_size,
                    .unshared = blocks_without_sharing(shape, block_size),
                    .closed = blocks_with_sharing(shape, block_size),
                    .live = live.pool().n_used()});
  }
  return rows;
}

}  // namespace mie::bench
