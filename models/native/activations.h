// The input rows of a linear operator, in the forms that its weights read: 8-bit with a scale per group, bf16, or bf16 in
// nibble order. Buffers come from the runner's arena; written by one thread per row or group, read by all.
#pragma once

#include "models/native/arena.h"
#include "models/native/kernels/kernel_table.h"

#include <cstddef>
#include <span>

namespace mie::native {

struct ActNeeds {
  bool s8 = false, natural = false, split = false;

  friend ActNeeds operator|(ActNeeds a, ActNeeds b) { return {a.s8 || b.s8, a.natural || b.natural, a.split || b.split}; }
};

class ActBuffer {
 public:
  ActBuffer() = default;
  ActBuffer(int n_rows, int k, ActNeeds needs, Arena& arena);
  [[nodiscard]] static std::size_t arena_bytes(int n_rows, int k, ActNeeds needs);

  // Writes inputs [first, first + n) of a row. REQUIRES: first and n multiples of 32.
  void write(const KernelTable& kernels, int row, int first, std::span<const float> x) const;

  [[nodiscard]] ActS8 s8(int row) const;
  [[nodiscard]] ActBf16 bf16(int row, ActOrder order) const;

 private:
  [[nodiscard]] std::size_t input(int row, int first) const {
    return static_cast<std::size_t>(row) * k_ + static_cast<std::size_t>(first);
  }
  [[nodiscard]] std::size_t group(int row, int first) const { return input(row, first) / kGroup; }

  std::size_t k_ = 0;
  ActNeeds needs_;
  std::span<std::int8_t> q_;                  // [rows, K]
  std::span<float> scale_, asum_;             // [rows, K / 32]
  std::span<std::int32_t> qsum_;              // [rows, K / 32]
  std::span<std::uint16_t> natural_, split_;  // [rows, K]
  std::span<float> bf16_sum_;                 // [rows, K / 32], the same for both orders
};

}  // namespace mie::native
