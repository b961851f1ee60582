#include "kv/reservation.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <utility>

namespace mie {
namespace {

constexpr std::size_t kFirstRows = 64;  // the default max_seqs: one allocation

}  // namespace

KvReservation::KvReservation(BlockPool& pool, Memory& memory) : pool_(pool), memory_(memory) {
  memory_.rows.clear();
  memory_.blocks.clear();
}

KvReservation::~KvReservation() {
  if (committed_) return;
  for (; !memory_.blocks.empty(); memory_.blocks.pop_back()) pool_.release(memory_.blocks.back());
}

bool KvReservation::reserve(BlockTable& table, int n) {
  ENSURE(!committed_, "reserving after the commit");
  auto& rows = memory_.rows;
  ENSURE(&table.pool() == &pool_, "the table draws on another pool");
  ENSURE(n <= 0 || std::none_of(rows.begin(), rows.end(), [&](const Row& row) { return row.table == &table && row.n > 0; }),
         "a second row of one table");
  if (rows.size() == rows.capacity()) rows.reserve(std::max<std::size_t>(kFirstRows, 2 * rows.capacity()));
  const int first = n_blocks();
  if (!pool_.take(n, memory_.blocks)) return false;
  rows.push_back({&table, first, n});  // cannot throw: a throw here would leave blocks without a row
  return true;
}

std::span<const BlockId> KvReservation::reserved(int row) const {
  ENSURE(row >= 0 && row < n_rows(), "no such row in this reservation");
  const Row& r = memory_.rows[static_cast<std::size_t>(row)];
  return std::span<const BlockId>(memory_.blocks).subspan(static_cast<std::size_t>(r.first), static_cast<std::size_t>(r.n));
}

void KvReservation::commit() {
  ENSURE(!committed_, "a second commit");
  for (const Row& row : memory_.rows) row.table->make_room(row.n);  // may throw, and nothing has changed yet
  for (int row = 0; row < n_rows(); ++row) memory_.rows[static_cast<std::size_t>(row)].table->adopt(reserved(row));
  committed_ = true;
}

}  // namespace mie
