// The KV blocks of one step, taken before the model runs and kept only if it does: the destructor gives back what was
// not committed, so a throw anywhere in the step leaves pool and tables as they were. A local of Engine::step.
// Engine thread only; the pool and the tables outlive it.
//
//   KvReservation held(pool);
//   for (row of plan.run) ENSURE(held.reserve(table_of(row), row.n_new_blocks), …);
//   runner.run(pack(plan, held), …);      // row i writes to table.blocks() followed by held.reserved(i)
//   held.commit();                        // now held.reserved(i) is the tail of table.blocks()
#pragma once

#include "core/base/id.h"
#include "kv/block_pool.h"
#include "kv/block_table.h"

#include <span>
#include <vector>

namespace mie {

class KvReservation {
 public:
  explicit KvReservation(BlockPool& pool) : pool_(&pool) {}
  ~KvReservation();  // ends the process if a block of it was released behind its back: the cache is corrupt then

  KvReservation(KvReservation&& other) noexcept;
  KvReservation& operator=(KvReservation&&) = delete;

  // Takes `n` ≥ 0 blocks for `table` as the next row; false: too few are free, nothing changed and no row was added.
  // REQUIRES: the table draws on this pool, has no other row with blocks here, and commit() has not run.
  [[nodiscard]] bool reserve(BlockTable& table, int n);

  // The blocks of the `row`-th successful reserve(), also after commit().
  [[nodiscard]] std::span<const BlockId> reserved(int row) const;

  [[nodiscard]] int n_rows() const { return static_cast<int>(rows_.size()); }
  [[nodiscard]] int n_blocks() const { return static_cast<int>(blocks_.size()); }

  // Hands every block to its table. Once. A throw (no memory for a table's entries) changes nothing.
  void commit();

 private:
  struct Row {
    BlockTable* table;
    int first;  // index into blocks_
    int n;
  };

  BlockPool* pool_;
  std::vector<Row> rows_;
  std::vector<BlockId> blocks_;  // rows one after another
  bool committed_ = false;
};

}  // namespace mie
