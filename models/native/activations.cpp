#include "models/native/activations.h"

namespace mie::native {

std::size_t ActBuffer::arena_bytes(int n_rows, int k, ActNeeds needs) {
  const auto n = static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(k);
  const std::size_t floats = Arena::padded(n / kGroup * 4);
  std::size_t bytes = 0;
  if (needs.s8) bytes += Arena::padded(n) + 3 * floats;
  if (needs.natural) bytes += Arena::padded(2 * n);
  if (needs.split) bytes += Arena::padded(2 * n);
  if (needs.natural || needs.split) bytes += floats;
  return bytes;
}

ActBuffer::ActBuffer(int n_rows, int k, ActNeeds needs, Arena& arena) : k_(static_cast<std::size_t>(k)), needs_(needs) {
  const std::size_t n = static_cast<std::size_t>(n_rows) * k_;
  if (needs.s8) {
    q_ = arena.take_array<std::int8_t>(n);
    scale_ = arena.take_array<float>(n / kGroup);
    asum_ = arena.take_array<float>(n / kGroup);
    qsum_ = arena.take_array<std::int32_t>(n / kGroup);
  }
  if (needs.natural) natural_ = arena.take_array<std::uint16_t>(n);
  if (needs.split) split_ = arena.take_array<std::uint16_t>(n);
  if (needs.natural || needs.split) bf16_sum_ = arena.take_array<float>(n / kGroup);
}

void ActBuffer::write(const KernelTable& kernels, int row, int first, std::span<const float> x) const {
  const int n = static_cast<int>(x.size());
  const std::size_t at = input(row, first), g = group(row, first);
  if (needs_.s8) kernels.quantise_row(x.data(), n, {q_.data() + at, scale_.data() + g, qsum_.data() + g, asum_.data() + g});
  float* sums = bf16_sum_.data() + g;
  if (needs_.natural) kernels.round_row(x.data(), n, ActOrder::kNatural, {natural_.data() + at, sums});
  if (needs_.split) kernels.round_row(x.data(), n, ActOrder::kSplit, {split_.data() + at, sums});
}

ActS8 ActBuffer::s8(int row) const {
  const std::size_t g = group(row, 0);
  return {q_.data() + input(row, 0), scale_.data() + g, qsum_.data() + g, asum_.data() + g};
}

ActBf16 ActBuffer::bf16(int row, ActOrder order) const {
  const auto& rows = order == ActOrder::kNatural ? natural_ : split_;
  return {rows.data() + input(row, 0), bf16_sum_.data() + group(row, 0)};
}

}  // namespace mie::native
