#include "bench/micro/linear_cases.h"

#include "bench/micro/random_weights.h"
#include "bench/micro/work_count.h"
#include "core/base/ensure.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace mie::bench {
namespace {

using native::ActBuffer;
using native::Arena;
using native::ComputeMode;
using native::FusedLinear;
using native::kPanel;
using native::PackFormat;

QuantFormat stored_format(PackFormat format) {
  switch (format) {
    case PackFormat::kQ4_0:
      return QuantFormat::kQ4_0;
    case PackFormat::kQ4_1:
      return QuantFormat::kQ4_1;
    case PackFormat::kQ8_0:
      return QuantFormat::kQ8_0;
    case PackFormat::kBf16:
      return QuantFormat::kBF16;
  }
  return QuantFormat::kBF16;
}

Arena reserved(std::size_t n_bytes) {
  auto arena = Arena::reserve(n_bytes);
  ENSURE(arena.has_value(), "memory for a benchmark");
  return std::move(*arena);
}

std::size_t n_of(int value) { return static_cast<std::size_t>(value); }

// One weight matrix as often as it takes to fill more than the caches: a model's layers follow each other the same way.
class ColdWeights {
 public:
  ColdWeights(MicroSession& session, PackFormat format, const LinearShape& shape) {
    const QuantFormat stored = stored_format(format);
    constexpr std::uint64_t kDistinct = 61;
    std::vector<std::vector<std::byte>> distinct;
    distinct.reserve(kDistinct);
    for (std::uint64_t seed = 0; seed < kDistinct; ++seed) distinct.push_back(random_row(stored, shape.k, seed));
    std::vector<native::SourceRow> rows;
    rows.reserve(n_of(shape.n));
    for (int n = 0; n < shape.n; ++n) rows.push_back({stored, distinct[n_of(n) % distinct.size()].data()});
    const std::size_t bytes = native::packed_bytes(rows, shape.k);
    const std::size_t n_copies = std::max<std::size_t>(1, (session.sizes().cold_bytes + bytes - 1) / bytes);
    arena_ = reserved(bytes * n_copies);
    const native::ThreadPool::Step awake(session.pool());
    copies_.push_back(native::pack_fused(rows, shape.k, /*panels_per_item=*/1, arena_, session.pool()));
    const std::byte* first = copies_[0].panels[0].data;
    while (copies_.size() < n_copies) {
      std::byte* place = arena_.take(bytes);
      FusedLinear copy = copies_[0];
      for (auto& panel : copy.panels) panel.data = place + (panel.data - first);
      copies_.push_back(std::move(copy));
      places_.push_back(place);
    }
    session.pool().for_each(static_cast<int>(places_.size()), 1,
                            [&](int i, int) { std::memcpy(places_[n_of(i)], first, bytes); });
  }

  const FusedLinear& next() { return copies_[at_++ % copies_.size()]; }
  [[nodiscard]] const FusedLinear& any() const { return copies_[0]; }

 private:
  Arena arena_;
  std::vector<FusedLinear> copies_;
  std::vector<std::byte*> places_;
  std::size_t at_ = 0;
};

// Input, output and thread buffers of one shape.
struct Operands {
  Operands(MicroSession& session, const FusedLinear& op, ComputeMode mode, int max_rows)
      : n(static_cast<int>(op.panels.size()) * kPanel) {
    const int n_threads = session.pool().n_threads();
    const native::ActNeeds needs = op.needs(session.kernels(), mode);
    const std::size_t out_floats = n_of(max_rows) * n_of(n), tile_floats = n_of(native::kRowBlock) * kPanel;
    arena = reserved(ActBuffer::arena_bytes(max_rows, op.k, needs) + Arena::padded(out_floats * 4) +
                     n_of(n_threads) * Arena::padded(tile_floats * 4));
    act = ActBuffer(max_rows, op.k, needs, arena);
    out = arena.take_array<float>(out_floats);
    for (int i = 0; i < n_threads; ++i) tiles.push_back(arena.take_array<float>(tile_floats).data());
    arena.touch(0, 1);
    for (int row = 0; row < max_rows; ++row) {
      act.write(session.kernels(), row, 0, random_floats(n_of(op.k), 1, 1000 + static_cast<std::uint64_t>(row)));
    }
  }

  int n;
  Arena arena;
  ActBuffer act;
  std::span<float> out;  // [rows, n]
  std::vector<float*> tiles;
};

void run_once(MicroSession& session, const FusedLinear& op, ComputeMode mode, const Operands& with, int n_rows) {
  native::run_linear(
      op, session.kernels(), mode, {with.act, op.k, 0, n_rows}, session.pool(), with.tiles, [&](const native::ItemRows& out) {
        for (int r = 0; r < out.n_rows; ++r) {
          std::copy_n(out.at(0, r), kPanel, with.out.data() + n_of(out.row + r) * n_of(with.n) + n_of(out.item) * kPanel);
        }
      });
}

void run_shape(MicroSession& session, PackFormat format, ComputeMode mode, const LinearShape& shape) {
  const std::vector<int>& rows = session.sizes().rows;
  const auto name = [&](int n_rows) { return linear_name(format, mode, shape.name, n_rows); };
  if (std::ranges::none_of(rows, [&](int n_rows) { return session.wants(name(n_rows)); })) return;
  ColdWeights weights(session, format, shape);
  const Operands operands(session, weights.any(), mode, *std::ranges::max_element(rows));
  const bool in_bf16 = format == PackFormat::kBf16 || mode == ComputeMode::kW4A16;
  for (const int n_rows : rows) {
    session.measure({.name = name(n_rows),
                     .bytes = weight_bytes(format, shape.k, shape.n),
                     .ops = linear_ops(n_rows, shape.k, shape.n),
                     .limit = n_rows == 1 ? Limit::kRead
                              : in_bf16   ? Limit::kBf16
                                          : Limit::kInt8,
                     .run = [&] { run_once(session, weights.next(), mode, operands, n_rows); }});
  }
}

std::string format_name(PackFormat format) {
  switch (format) {
    case PackFormat::kQ4_0:
      return "q4_0";
    case PackFormat::kQ4_1:
      return "q4_1";
    case PackFormat::kQ8_0:
      return "q8_0";
    case PackFormat::kBf16:
      return "bf16";
  }
  return "bf16";
}

}  // namespace

std::string linear_name(PackFormat format, ComputeMode mode, const std::string& shape, int rows) {
  const std::string kind = format == PackFormat::kBf16 ? "" : mode == ComputeMode::kW4A8 ? "/w4a8" : "/w4a16";
  return "linear/" + format_name(format) + kind + "/" + shape + "/m" + std::to_string(rows);
}

// The default model's file holds Q4_1 layers and a Q8_0 head.
void run_linear_cases(MicroSession& session) {
  const Sizes& sizes = session.sizes();
  for (const PackFormat format : {PackFormat::kQ4_0, PackFormat::kQ4_1, PackFormat::kQ8_0, PackFormat::kBf16}) {
    for (const ComputeMode mode : {ComputeMode::kW4A8, ComputeMode::kW4A16}) {
      if (format == PackFormat::kBf16 && mode == ComputeMode::kW4A16) continue;
      run_shape(session, format, mode, sizes.gate);
      if (format == PackFormat::kQ4_1 || format == PackFormat::kBf16) {
        for (const LinearShape& shape : sizes.body) run_shape(session, format, mode, shape);
      }
      if (format == PackFormat::kQ8_0 || format == PackFormat::kBf16) run_shape(session, format, mode, sizes.head);
    }
  }
}

}  // namespace mie::bench
