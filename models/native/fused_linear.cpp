#include "models/native/fused_linear.h"

#include "core/base/ensure.h"

#include <algorithm>

namespace mie::native {
namespace {

constexpr std::size_t kGrainBytes = 128 << 10;

PackFormat panel_format(std::span<const SourceRow> rows, std::size_t panel) {
  return pack_format_of(rows[panel * kPanel].format);
}

}  // namespace

std::size_t FusedLinear::weight_bytes() const {
  std::size_t total = 0;
  for (const Panel& panel : panels) total += packer(panel.format).panel_bytes(k);
  return total;
}

ActNeeds FusedLinear::needs(const KernelTable& kernels, ComputeMode mode) const {
  ActNeeds all;
  for (const Panel& panel : panels) {
    if (panel.format == PackFormat::kBf16) {
      all.bf16 = true;
    } else if (mode == ComputeMode::kW4A8) {
      all.s8 = true;
    } else {
      (kernels.linear_rounded[static_cast<std::size_t>(panel.format)] ? all.bf16 : all.split) = true;
    }
  }
  return all;
}

std::size_t packed_bytes(std::span<const SourceRow> rows, int k) {
  std::size_t total = 0;
  for (std::size_t panel = 0; panel < rows.size() / kPanel; ++panel) total += packer(panel_format(rows, panel)).panel_bytes(k);
  return Arena::padded(total);
}

FusedLinear pack_fused(std::span<const SourceRow> rows, int k, int panels_per_item, Arena& arena, ThreadPool& pool) {
  ENSURE(k % kGroup == 0 && rows.size() % static_cast<std::size_t>(kPanel * panels_per_item) == 0, "rows fill whole items");
  FusedLinear op{k, panels_per_item, {}};
  std::byte* data = arena.take(packed_bytes(rows, k));
  std::vector<std::byte*> places;
  for (std::size_t panel = 0; panel < rows.size() / kPanel; ++panel) {
    const PackFormat format = panel_format(rows, panel);
    op.panels.push_back({data, format});
    places.push_back(data);
    data += packer(format).panel_bytes(k);
  }
  pool.for_each(static_cast<int>(op.panels.size()), 4, [&](int item, int) {
    const auto panel = static_cast<std::size_t>(item);
    const auto sources = rows.subspan(panel * kPanel, kPanel);
    packer(op.panels[panel].format).pack_panel(sources, k, places[panel]);
  });
  return op;
}

int item_grain(const FusedLinear& op, int n_threads) {
  if (op.panels.empty()) return 1;
  const std::size_t item_bytes =
      packer(op.panels.front().format).panel_bytes(op.k) * static_cast<std::size_t>(op.panels_per_item);
  const int by_bytes = static_cast<int>(kGrainBytes / std::max<std::size_t>(item_bytes, 1));
  return std::clamp(by_bytes, 1, std::max(1, op.n_items() / (4 * n_threads)));
}

void run_panel(const FusedLinear::Panel& panel, const KernelTable& kernels, ComputeMode mode, const InputRows& in, float* out) {
  const auto format = static_cast<std::size_t>(panel.format);
  if (panel.format == PackFormat::kBf16) {
    kernels.linear_bf16(panel.data, in.k, in.act.bf16(in.row), in.act.bf16_stride(), in.n_rows, out);
  } else if (mode == ComputeMode::kW4A8) {
    kernels.linear_s8[format](panel.data, in.k, in.act.s8(in.row), in.n_rows, out);
  } else if (const LinearBf16 rounded = kernels.linear_rounded[format]) {
    rounded(panel.data, in.k, in.act.bf16(in.row), in.act.bf16_stride(), in.n_rows, out);
  } else {
    kernels.linear_w4a16[format](panel.data, in.k, in.act.split(in.row), in.n_rows, out);
  }
}

}  // namespace mie::native
