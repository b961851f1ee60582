#include "bench/micro/unit_bits.h"

#include "bench/micro/random_weights.h"
#include "core/base/ensure.h"
#include "models/native/activations.h"
#include "models/native/formats/packer.h"

#include <cstring>

namespace mie::bench {
namespace {

using native::kPanel;

constexpr int kRows = 13;  // every remainder of a tile of six, and a tile
constexpr native::ActNeeds kS8{.s8 = true};

std::size_t n_of(int value) { return static_cast<std::size_t>(value); }

// The packed panel, the rows and the products of one case, computed by one unit. The arena keeps panels on cache lines.
class PanelCase {
 public:
  PanelCase(QuantFormat format, int k) : format_(native::pack_format_of(format)), k_(k) {
    std::vector<std::vector<std::byte>> stored;
    std::vector<native::SourceRow> rows;
    stored.reserve(kPanel);
    rows.reserve(kPanel);
    for (std::uint64_t n = 0; n < kPanel; ++n) stored.push_back(random_row(format, k, n));
    for (const auto& row : stored) rows.push_back({format, row.data()});
    const std::size_t panel_bytes = native::packer(format_).panel_bytes(k);
    auto arena = native::Arena::reserve(native::Arena::padded(panel_bytes) + native::ActBuffer::arena_bytes(kRows, k, kS8));
    ENSURE(arena.has_value(), "memory for a panel");
    arena_ = std::move(*arena);
    panel_ = arena_.take(panel_bytes);
    native::packer(format_).pack_panel(rows, k, panel_);
    act_ = native::ActBuffer(kRows, k, kS8, arena_);
  }

  // [rows, 32]; the rows are quantised by the same unit.
  [[nodiscard]] std::vector<float> products(native::Isa isa, int n_rows) const {
    const native::KernelTable& kernels = native::kernel_table(isa);
    for (int row = 0; row < n_rows; ++row) {
      act_.write(kernels, row, 0, random_floats(n_of(k_), 1, 100 + static_cast<std::uint64_t>(row)));
    }
    std::vector<float> out(n_of(n_rows) * kPanel);
    kernels.linear_s8[static_cast<std::size_t>(format_)](panel_, k_, act_.s8(0), n_rows, out.data());
    return out;
  }

 private:
  native::PackFormat format_;
  int k_;
  native::Arena arena_;
  std::byte* panel_ = nullptr;
  native::ActBuffer act_;
};

void count(UnitBits& bits, const std::vector<float>& expected, const std::vector<float>& got, const std::string& where) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ++bits.n_values;
    if (std::memcmp(&expected[i], &got[i], sizeof(float)) == 0) continue;
    ++bits.n_differences;
    if (bits.first_difference.empty()) {
      bits.first_difference = where + " row " + std::to_string(i / kPanel) + " output " + std::to_string(i % kPanel);
    }
  }
}

}  // namespace

UnitBits compare_units() {
  UnitBits bits;
  for (const native::Isa isa : native::all_isas()) {
    if (isa != native::Isa::kScalar && native::isa_supported(isa)) bits.units.push_back(isa);
  }
  for (const QuantFormat format : {QuantFormat::kQ4_0, QuantFormat::kQ4_1, QuantFormat::kQ8_0}) {
    for (const int k : {64, 1536}) {
      const PanelCase one(format, k);
      for (int n_rows = 1; n_rows <= kRows; ++n_rows) {
        const auto expected = one.products(native::Isa::kScalar, n_rows);
        for (const native::Isa isa : bits.units) {
          count(bits, expected, one.products(isa, n_rows),
                std::string(native::isa_name(isa)) + " " + std::string(format_info(format).name));
        }
      }
    }
  }
  return bits;
}

}  // namespace mie::bench
