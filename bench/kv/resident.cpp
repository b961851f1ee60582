#include "bench/kv/resident.h"

#include "models/native/kv_pages.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace mie::bench {
namespace {

constexpr std::int64_t kHugePage = 2 << 20;

// Memory in small pages while it lives: a huge page is resident as a whole once a byte of it is written.
class SmallPages {
 public:
  SmallPages() : was_(::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0)), small_(::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0) {}
  ~SmallPages() {
    if (small_ && was_ == 0) ::prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
  }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;

  [[nodiscard]] std::int64_t page_bytes() const { return small_ ? ::sysconf(_SC_PAGESIZE) : kHugePage; }

 private:
  int was_;
  bool small_;
};

// Bytes of this process in memory, counted page by page: /proc/self/statm may lag by what each CPU has not added up yet.
// Allocates nothing.
std::optional<std::int64_t> resident_bytes() {
  std::array<char, 2048> text{};
  const int file = ::open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::size_t n = 0;
  for (ssize_t got = 1; got > 0 && n < text.size(); n += static_cast<std::size_t>(got)) {
    got = ::read(file, text.data() + n, text.size() - n);
    if (got < 0) break;
  }
  ::close(file);
  const std::string_view all(text.data(), n);
  constexpr std::string_view kName = "\nRss:";
  auto at = all.find(kName);
  if (at == std::string_view::npos) return {};
  at = all.find_first_of("0123456789", at + kName.size());
  std::int64_t kib = 0;
  if (at == std::string_view::npos || std::from_chars(text.data() + at, text.data() + n, kib).ec != std::errc()) return {};
  return kib * 1024;
}

ModelSpec spec_of(const PageLayout& layout) {
  ModelSpec spec;
  spec.n_layers = layout.n_layers;
  spec.n_kv_heads = layout.n_kv_heads;
  spec.head_dim = layout.head_dim;
  return spec;
}

void write_block(const native::KvPages& pages, const PageLayout& layout, BlockId block) {
  const auto head_bytes = static_cast<std::size_t>(layout.bytes_per_block() / layout.n_layers / layout.n_kv_heads);
  for (int layer = 0; layer < layout.n_layers; ++layer) {
    for (int head = 0; head < layout.n_kv_heads; ++head) {
      const native::KvHead kv = pages.head(layer, head, nullptr);
      std::memset(kv.pages + block.value() * kv.page_stride, 1, head_bytes);
    }
  }
}

}  // namespace

bool Resident::agrees() const { return std::abs(measured_bytes - expected_bytes) <= tolerance_bytes; }

bool arena_has_pages_of(int block_size) { return block_size == 8 || block_size == 16 || block_size % 32 == 0; }

Result<Resident> resident_blocks(const PageLayout& layout, int n_blocks, std::span<const BlockId> blocks) {
  const SmallPages small;
  auto pages = native::KvPages::make(spec_of(layout), n_blocks, layout.block_size);
  if (!pages) return pages.error();
  const auto before = resident_bytes();
  for (const BlockId block : blocks) write_block(*pages, layout, block);
  const auto after = resident_bytes();
  if (!before || !after) return Error{Errc::kConfig, "this system does not tell the resident memory of a process", ""};
  return Resident{.expected_bytes = std::ssize(blocks) * layout.bytes_per_block(),
                  .measured_bytes = *after - *before,
                  .tolerance_bytes = layout.n_layers * small.page_bytes() + kResidentOverheadBytes};
}

}  // namespace mie::bench
