#include "tests/fakes/allocation_meter.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t n_allocated = 0;

void* metered(std::size_t n_bytes) {
  n_allocated += n_bytes;
  if (void* const memory = std::malloc(n_bytes == 0 ? 1 : n_bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

std::size_t mie::test::bytes_allocated_by_this_thread() { return n_allocated; }

// The array forms of the standard library come here too.
void* operator new(std::size_t n_bytes) { return metered(n_bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
