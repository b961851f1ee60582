// Instants at which something is to be done, the earliest first, equal ones in the order in which they were added. Memory is
// taken in the constructor. Owned by a run; its loop's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mie::bench {

template <class What>
class Timers {
 public:
  struct Entry {
    std::int64_t at_ns = 0;
    std::uint64_t order = 0;
    What what{};
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit Timers(std::size_t n_at_most) { heap_.reserve(n_at_most); }

  void add(std::int64_t at_ns, What what) {
    heap_.push_back({at_ns, next_order_++, what});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  [[nodiscard]] std::int64_t next_ns() const { return heap_.empty() ? kNever : heap_.front().at_ns; }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  // REQUIRES: not empty.
  Entry take() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

 private:
  static bool later(const Entry& a, const Entry& b) { return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.order > b.order; }

  std::vector<Entry> heap_;
  std::uint64_t next_order_ = 0;
};

}  // namespace mie::bench
