#include "models/native/arena.h"

#include "core/base/ensure.h"

#include <sys/mman.h>

#include <string>
#include <utility>

namespace mie::native {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kSmallPage = 4096;

}  // namespace

Result<Arena> Arena::reserve(std::size_t n_bytes) {
  const std::size_t rounded = (n_bytes + kHugePage - 1) / kHugePage * kHugePage;
  const std::size_t mapped = rounded + kHugePage;  // room to align
  void* raw = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return Error{Errc::kConfig, "cannot reserve " + std::to_string(n_bytes) + " bytes of memory", {}};
  auto* start = static_cast<std::byte*>(raw);
  const std::size_t skip = (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  if (skip != 0) ::munmap(start, skip);
  if (skip != kHugePage) ::munmap(start + skip + rounded, kHugePage - skip);
  ::madvise(start + skip, rounded, MADV_HUGEPAGE);  // advice only: small pages work too
  return Arena(start + skip, rounded);
}

Arena::Arena(Arena&& other) noexcept { *this = std::move(other); }

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(used_, other.used_);
  return *this;
}

Arena::~Arena() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

std::byte* Arena::take(std::size_t n_bytes) {
  const std::size_t n = padded(n_bytes);
  ENSURE(n <= size_ - used_, "arena of " + std::to_string(size_) + " bytes is full");
  std::byte* taken = base_ + used_;
  used_ += n;
  return taken;
}

void Arena::touch(int part, int n_parts) {
  const std::size_t n_pages = (used_ + kHugePage - 1) / kHugePage;
  for (std::size_t page = static_cast<std::size_t>(part); page < n_pages; page += static_cast<std::size_t>(n_parts)) {
    for (std::size_t at = 0; at < kHugePage; at += kSmallPage) {
      auto* byte = reinterpret_cast<volatile unsigned char*>(base_ + page * kHugePage + at);
      *byte = *byte;  // a write of what is there: pages become present, contents stay
    }
  }
}

}  // namespace mie::native
