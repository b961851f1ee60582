#include "kv/reservation.h"

#include "core/base/ensure.h"

#include <algorithm>
#include <utility>

namespace mie {
namespace {

constexpr std::size_t kFirstRows = 64;  // the default max_seqs: one allocation a step

}  // namespace

KvReservation::~KvReservation() {
  if (committed_) return;
  for (; !blocks_.empty(); blocks_.pop_back()) pool_->release(blocks_.back());
}

KvReservation::KvReservation(KvReservation&& other) noexcept
    : pool_(other.pool_),
      rows_(std::exchange(other.rows_, {})),
      blocks_(std::exchange(other.blocks_, {})),
      committed_(other.committed_) {}

bool KvReservation::reserve(BlockTable& table, int n) {
  ENSURE(!committed_, "reserving after the commit");
  ENSURE(&table.pool() == pool_, "the table draws on another pool");
  ENSURE(n <= 0 || std::none_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.table == &table && row.n > 0; }),
         "a second row of one table");
  if (rows_.size() == rows_.capacity()) rows_.reserve(std::max<std::size_t>(kFirstRows, 2 * rows_.capacity()));
  const int first = n_blocks();
  if (!pool_->take(n, blocks_)) return false;
  rows_.push_back({&table, first, n});  // cannot throw: a throw here would leave blocks without a row
  return true;
}

std::span<const BlockId> KvReservation::reserved(int row) const {
  ENSURE(row >= 0 && row < n_rows(), "no such row in this reservation");
  const Row& r = rows_[static_cast<std::size_t>(row)];
  return std::span(blocks_).subspan(static_cast<std::size_t>(r.first), static_cast<std::size_t>(r.n));
}

void KvReservation::commit() {
  ENSURE(!committed_, "a second commit");
  for (const Row& row : rows_) row.table->make_room(row.n);  // may throw, and nothing has changed yet
  for (int row = 0; row < n_rows(); ++row) rows_[static_cast<std::size_t>(row)].table->adopt(reserved(row));
  committed_ = true;
}

}  // namespace mie
