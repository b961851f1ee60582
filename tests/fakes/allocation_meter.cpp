#include "tests/fakes/allocation_meter.h"

#include <atomic>
#include <cerrno>

namespace {

thread_local std::size_t n_bytes_here = 0;
std::atomic<std::int64_t> n_calls{0};

void count(std::size_t n_bytes) {
  n_bytes_here += n_bytes;
  n_calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::size_t mie::test::bytes_allocated_by_this_thread() { return n_bytes_here; }
std::int64_t mie::test::n_allocations_of_all_threads() { return n_calls.load(std::memory_order_relaxed); }

#if defined(__has_feature) && (__has_feature(thread_sanitizer) || __has_feature(address_sanitizer))
#include <sanitizer/allocator_interface.h>

namespace {

void heard(const volatile void*, std::size_t n_bytes) { count(n_bytes); }
void ignored(const volatile void*) {}

[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(heard, ignored);

}  // namespace
#else
// glibc calls these for everybody, operator new included.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

__attribute__((visibility("default"))) void* malloc(std::size_t n_bytes) {
  count(n_bytes);
  return __libc_malloc(n_bytes);
}
__attribute__((visibility("default"))) void* calloc(std::size_t n, std::size_t n_bytes) {
  count(n * n_bytes);
  return __libc_calloc(n, n_bytes);
}
__attribute__((visibility("default"))) void* realloc(void* memory, std::size_t n_bytes) {
  count(n_bytes);
  return __libc_realloc(memory, n_bytes);
}
__attribute__((visibility("default"))) void* memalign(std::size_t alignment, std::size_t n_bytes) {
  count(n_bytes);
  return __libc_memalign(alignment, n_bytes);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t n_bytes) {
  count(n_bytes);
  return __libc_memalign(alignment, n_bytes);
}
__attribute__((visibility("default"))) int posix_memalign(void** memory, std::size_t alignment, std::size_t n_bytes) {
  count(n_bytes);
  *memory = __libc_memalign(alignment, n_bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif
