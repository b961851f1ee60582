// A linear operator as the step runs it: panels of one or more weight matrices in the order in which their outputs are
// wanted (Q, K and V; gate and up interleaved), consumed in items of a few panels with an epilogue each. Built at load;
// immutable; read by every compute thread.
#pragma once

#include "models/native/activations.h"
#include "models/native/arena.h"
#include "models/native/formats/packer.h"
#include "models/native/kernels/kernel_table.h"
#include "models/native/thread_pool.h"

#include <cstddef>
#include <span>
#include <vector>

namespace mie::native {

// Quantised weights times 8-bit activations, or times bf16 ones (slower from a few rows on; weights exact, on AMX rounded to
// bf16).
enum class ComputeMode { kW4A8, kW4A16 };

struct FusedLinear {
  struct Panel {
    const std::byte* data;
    PackFormat format;
  };

  int k = 0;                // inputs
  int panels_per_item = 1;  // panels [i * panels_per_item, …) are item i
  std::vector<Panel> panels;

  [[nodiscard]] const Panel& panel(int item, int p) const {
    const auto first = static_cast<std::size_t>(item) * static_cast<std::size_t>(panels_per_item);
    return panels[first + static_cast<std::size_t>(p)];
  }
  [[nodiscard]] int n_items() const { return static_cast<int>(panels.size()) / panels_per_item; }
  [[nodiscard]] std::size_t weight_bytes() const;
  [[nodiscard]] ActNeeds needs(const KernelTable& kernels, ComputeMode mode) const;  // which forms of its input the panels read
};

// Arena bytes of pack_fused(rows, k).
[[nodiscard]] std::size_t packed_bytes(std::span<const SourceRow> rows, int k);

// Packs `rows`, one output each, 32 to a panel. REQUIRES: rows.size() a multiple of 32 * panels_per_item, each 32 of one
// source format; k a multiple of 32; a ThreadPool::Step is alive.
[[nodiscard]] FusedLinear pack_fused(std::span<const SourceRow> rows, int k, int panels_per_item, Arena& arena,
                                     ThreadPool& pool);

// Rows of one call of an epilogue: bounds the tile buffer of a thread.
inline constexpr int kRowBlock = 48;  // a multiple of every tile height

// The outputs of one item for rows [row, row + n_rows): panel p of the item, row r, column c at tile[(p * kRowBlock + r) * 32 +
// c].
struct ItemRows {
  int item;
  int row;
  int n_rows;
  float* tile;
  int thread;

  [[nodiscard]] float* at(int panel, int r) const { return tile + std::ptrdiff_t{panel * kRowBlock + r} * kPanel; }
};

// Items that one thread takes at a time: about 128 KB of weights, less where that would leave a thread without work.
[[nodiscard]] int item_grain(const FusedLinear& op, int n_threads);

// Rows [row, row + n_rows) of an operator's input.
struct InputRows {
  const ActBuffer& act;
  int k;
  int row;
  int n_rows;
};
void run_panel(const FusedLinear::Panel& panel, const KernelTable& kernels, ComputeMode mode, const InputRows& in, float* out);

// The product for these rows. `tiles`: per thread, kRowBlock * 32 * panels_per_item floats. Which thread computes an item does
// not change a bit of it.
template <class Epilogue>
void run_linear(const FusedLinear& op, const KernelTable& kernels, ComputeMode mode, const InputRows& in, ThreadPool& pool,
                std::span<float* const> tiles, Epilogue&& epilogue) {
  pool.for_each(op.n_items(), item_grain(op, pool.n_threads()), [&](int item, int thread) {
    const int end = in.row + in.n_rows;
    for (int row = in.row; row < end; row += kRowBlock) {
      const int n = end - row < kRowBlock ? end - row : kRowBlock;
      const ItemRows out{item, row, n, tiles[static_cast<std::size_t>(thread)], thread};
      for (int p = 0; p < op.panels_per_item; ++p) {
        const auto& panel = op.panel(item, p);
        run_panel(panel, kernels, mode, {in.act, op.k, row, n}, out.at(p, 0));
      }
      epilogue(out);
    }
  });
}

}  // namespace mie::native
