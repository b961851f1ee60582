// The last so many items of a sequence, each found by its number in the whole sequence, from 0. Its memory is taken at the
// start. Value; not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mie {

template <class T>
class BoundedRing {
 public:
  // REQUIRES: capacity ≥ 1.
  explicit BoundedRing(std::size_t capacity) : items_(capacity) {}

  // The oldest item goes when the ring is full.
  T& push(const T& item) {
    T& place = items_[slot(end_++)];
    place = item;
    return place;
  }

  // Items begin() … end() - 1 are here.
  [[nodiscard]] std::int64_t begin() const {
    return std::max<std::int64_t>(0, end_ - static_cast<std::int64_t>(items_.size()));
  }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] const T& operator[](std::int64_t number) const { return items_[slot(number)]; }
  [[nodiscard]] T& back() { return items_[slot(end_ - 1)]; }

 private:
  [[nodiscard]] std::size_t slot(std::int64_t number) const { return static_cast<std::size_t>(number) % items_.size(); }

  std::vector<T> items_;
  std::int64_t end_ = 0;
};

}  // namespace mie
