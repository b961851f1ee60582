#include "tests/fakes/allocation_meter.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t n_allocated = 0;

}  // namespace

std::size_t mie::test::bytes_allocated_by_this_thread() { return n_allocated; }

#if defined(__has_feature) && __has_feature(thread_sanitizer)
// The thread sanitizer brings operators that cannot be replaced, but tells of every allocation.
#include <sanitizer/allocator_interface.h>

namespace {

void count(const volatile void*, std::size_t n_bytes) { n_allocated += n_bytes; }
void ignore(const volatile void*) {}

[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(count, ignore);

}  // namespace
#else
namespace {

void* metered(std::size_t n_bytes) {
  n_allocated += n_bytes;
  if (void* const memory = std::malloc(n_bytes == 0 ? 1 : n_bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// The array forms of the standard library come here too.
void* operator new(std::size_t n_bytes) { return metered(n_bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
