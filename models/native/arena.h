// Memory for weights, KV pages and work buffers: one anonymous mapping on huge pages where the system grants them, carved
// from the front and freed as a whole. First touch costs 0.2 s/GiB on 2 MB pages against 0.5 s/GiB on 4 KB ones.
// Owned by the runner; take() before the first step only, by one thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>

namespace mie::native {

class Arena {
 public:
  // Reserves `n_bytes` of zeroed address space. Error kConfig: the system refuses.
  static Result<Arena> reserve(std::size_t n_bytes);

  Arena() = default;  // holds nothing
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  // `n_bytes` at a multiple of 64. REQUIRES: room.
  std::byte* take(std::size_t n_bytes);
  template <class T>
  std::span<T> take_array(std::size_t n) {
    return {reinterpret_cast<T*>(take(n * sizeof(T))), n};
  }

  // Bytes that `n_bytes` use up in an arena: sums of these size the reservation.
  static constexpr std::size_t padded(std::size_t n_bytes) { return (n_bytes + 63) / 64 * 64; }

  // Faults pages in, so that no step does. `part` of `n_parts`: each compute thread touches its own share.
  void touch(int part, int n_parts);

  [[nodiscard]] std::size_t used_bytes() const { return used_; }

 private:
  Arena(std::byte* base, std::size_t n_bytes) : base_(base), size_(n_bytes) {}

  std::byte* base_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
};

}  // namespace mie::native
