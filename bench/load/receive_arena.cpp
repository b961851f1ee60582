#include "bench/load/receive_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace mie::bench {

ReceiveArena::ReceiveArena(std::size_t n_bytes, std::size_t n_chunks) : n_bytes_(std::max<std::size_t>(n_bytes, 1)) {
  void* memory = ::mmap(nullptr, n_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  chunks_.resize(n_chunks);  // touches the pages
  chunks_.clear();
}

ReceiveArena::~ReceiveArena() { ::munmap(memory_, n_bytes_); }

std::span<char> ReceiveArena::tail(std::size_t most) {
  if (chunks_.size() == chunks_.capacity()) return {};
  return {memory_ + used_, std::min(most, n_bytes_ - used_)};
}

void ReceiveArena::keep(int request, std::int64_t at_ns, std::size_t size) {
  chunks_.push_back({.at_ns = at_ns, .offset = used_, .size = static_cast<std::uint32_t>(size), .request = request});
  used_ += size;
}

}  // namespace mie::bench
