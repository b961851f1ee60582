#include "tests/kv/failing_new.h"

#include <cstdlib>
#include <limits>
#include <new>

namespace mie::testing {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();
thread_local int n_allowed_left = kNoLimit;

}  // namespace

FailingNew::FailingNew(int n_allowed) { n_allowed_left = n_allowed; }
FailingNew::~FailingNew() { n_allowed_left = kNoLimit; }

static void* allocate(std::size_t size) {
  if (n_allowed_left == 0) throw std::bad_alloc();
  if (n_allowed_left != kNoLimit) --n_allowed_left;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace mie::testing

void* operator new(std::size_t size) { return mie::testing::allocate(size); }
void* operator new[](std::size_t size) { return mie::testing::allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
