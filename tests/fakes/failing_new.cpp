#include "tests/fakes/failing_new.h"

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace mie::test {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();
thread_local int n_allowed_left = kNoLimit;
thread_local bool fails_once = false;

}  // namespace

FailingNew::FailingNew(int n_allowed) { n_allowed_left = n_allowed; }
FailingNew::~FailingNew() { n_allowed_left = kNoLimit; }

OneFailure::OneFailure(int n_allowed) {
  n_allowed_left = n_allowed;
  fails_once = true;
}

OneFailure::~OneFailure() {
  n_allowed_left = kNoLimit;
  fails_once = false;
}

bool OneFailure::struck() const { return !fails_once; }

static bool refused() {
  if (n_allowed_left == kNoLimit) return false;
  if (n_allowed_left > 0) {
    --n_allowed_left;
    return false;
  }
  if (fails_once) {
    fails_once = false;
    n_allowed_left = kNoLimit;
  }
  return true;
}

static void* allocate_or_null(std::size_t size, std::align_val_t alignment = std::align_val_t(alignof(std::max_align_t))) {
  if (refused()) return nullptr;
  const auto step = static_cast<std::size_t>(alignment);
  if (step <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(step, (size / step + 1) * step);
}

template <class... Alignment>
static void* allocate(std::size_t size, Alignment... alignment) {
  if (void* memory = allocate_or_null(size, alignment...)) return memory;
  throw std::bad_alloc();
}

}  // namespace mie::test

// Every form, because a sanitizer's runtime that supplies one of them supplies all and clashes with the rest.
void* operator new(std::size_t size) { return mie::test::allocate(size); }
void* operator new[](std::size_t size) { return mie::test::allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return mie::test::allocate(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return mie::test::allocate(size, alignment); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return mie::test::allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return mie::test::allocate_or_null(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
