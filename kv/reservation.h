// The KV blocks of one step, taken before the model runs and kept only if it does: the destructor gives back what was
// not committed, so a throw anywhere in the step leaves pool and tables as they were. A local of Engine::step.
// Engine thread only; the pool and the tables outlive it.
//
//   KvReservation held(pool, memory);
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
  struct Row {
    BlockTable* table;
    int first;  // index into blocks
    int n;
  };

 public:
  // What a reservation works in. The engine keeps it from step to step, so that a steady one allocates nothing.
  class Memory {
    friend class KvReservation;
    std::vector<Row> rows;
    std::vector<BlockId> blocks;  // rows one after another
  };

  // `memory`: for this reservation alone while it lives.
  KvReservation(BlockPool& pool, Memory& memory);
  ~KvReservation();  // ends the process if a block of it was released behind its back: the cache is corrupt then

  KvReservation(const KvReservation&) = delete;
  KvReservation& operator=(const KvReservation&) = delete;

  // Takes `n` ≥ 0 blocks for `table` as the next row; false: too few are free, nothing changed and no row was added.
  // REQUIRES: the table draws on this pool, has no other row with blocks here, and commit() has not run.
  [[nodiscard]] bool reserve(BlockTable& table, int n);

  // The blocks of the `row`-th successful reserve(), also after commit().
  [[nodiscard]] std::span<const BlockId> reserved(int row) const;

  [[nodiscard]] int n_rows() const { return static_cast<int>(memory_.rows.size()); }
  [[nodiscard]] int n_blocks() const { return static_cast<int>(memory_.blocks.size()); }

  // Hands every block to its table. Once. A throw (no memory for a table's entries) changes nothing.
  void commit();

 private:
  BlockPool& pool_;
  Memory& memory_;
  bool committed_ = false;
};

}  // namespace mie
