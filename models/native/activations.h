// The input rows of a linear operator, in the forms that its weights read (kernel_table.h). Buffers come from the runner's
// arena; written by one thread per row or group, read by all.
#pragma once

#include "models/native/arena.h"
#include "models/native/kernels/kernel_table.h"

#include <cstddef>
#include <span>

namespace mie::native {

struct ActNeeds {
  bool s8 = false, split = false, bf16 = false;

  friend ActNeeds operator|(ActNeeds a, ActNeeds b) { return {a.s8 || b.s8, a.split || b.split, a.bf16 || b.bf16}; }
};

class ActBuffer {
 public:
  ActBuffer() = default;
  ActBuffer(int n_rows, int k, ActNeeds needs, Arena& arena);
  [[nodiscard]] static std::size_t arena_bytes(int n_rows, int k, ActNeeds needs);

  // Writes inputs [first, first + n) of a row. REQUIRES: first and n multiples of 32.
  void write(const KernelTable& kernels, int row, int first, std::span<const float> x) const;

  // The first record of a row.
  [[nodiscard]] const ActS8* s8(int row) const { return s8_.data() + input(row, 0) / kGroup; }
  [[nodiscard]] const ActSplit* split(int row) const { return split_.data() + input(row, 0) / kGroup; }
  [[nodiscard]] const std::uint16_t* bf16(int row) const { return bf16_.data() + bf16_at(row, 0); }
  [[nodiscard]] int bf16_stride() const { return static_cast<int>(stride_of(k_)); }

 private:
  // Rows an odd number of cache lines apart fall into all sets of a cache: a tile reads sixteen at once.
  static constexpr std::size_t stride_of(std::size_t k) { return k / kGroup % 2 == 0 ? k + kGroup : k; }
  [[nodiscard]] std::size_t bf16_at(int row, int first) const {
    return static_cast<std::size_t>(row) * stride_of(k_) + static_cast<std::size_t>(first);
  }
  [[nodiscard]] std::size_t input(int row, int first) const {
    return static_cast<std::size_t>(row) * k_ + static_cast<std::size_t>(first);
  }

  std::size_t k_ = 0;
  ActNeeds needs_;
  std::span<ActS8> s8_;            // [rows, K / 32]
  std::span<ActSplit> split_;      // [rows, K / 32]
  std::span<std::uint16_t> bf16_;  // [rows, stride]
};

}  // namespace mie::native
