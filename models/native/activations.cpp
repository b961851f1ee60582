#include "models/native/activations.h"

namespace mie::native {

std::size_t ActBuffer::arena_bytes(int n_rows, int k, ActNeeds needs) {
  const auto n = static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(k);
  std::size_t bytes = 0;
  if (needs.s8) bytes += Arena::padded(n / kGroup * sizeof(ActS8));
  if (needs.split) bytes += Arena::padded(n / kGroup * sizeof(ActSplit));
  if (needs.bf16) {
    bytes += Arena::padded(static_cast<std::size_t>(n_rows) * stride_of(static_cast<std::size_t>(k)) * sizeof(std::uint16_t));
  }
  return bytes;
}

ActBuffer::ActBuffer(int n_rows, int k, ActNeeds needs, Arena& arena) : k_(static_cast<std::size_t>(k)), needs_(needs) {
  const std::size_t n = static_cast<std::size_t>(n_rows) * k_;
  if (needs.s8) s8_ = arena.take_array<ActS8>(n / kGroup);
  if (needs.split) split_ = arena.take_array<ActSplit>(n / kGroup);
  if (needs.bf16) bf16_ = arena.take_array<std::uint16_t>(static_cast<std::size_t>(n_rows) * stride_of(k_));
}

void ActBuffer::write(const KernelTable& kernels, int row, int first, std::span<const float> x) const {
  const int n = static_cast<int>(x.size());
  const std::size_t at = input(row, first);
  if (needs_.s8) kernels.quantise_row(x.data(), n, &s8_[at / kGroup]);
  if (needs_.split) kernels.split_row(x.data(), n, &split_[at / kGroup]);
  if (needs_.bf16) kernels.store_bf16(x.data(), n, &bf16_[bf16_at(row, first)]);
}

}  // namespace mie::native
