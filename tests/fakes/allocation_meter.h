// What a test program asks of malloc and its kin, and so of operator new. Linking allocation_meter.cpp puts counters before
// them (in a sanitizer build it listens to the sanitizer's malloc instead). Test code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mie::test {

[[nodiscard]] std::size_t bytes_allocated_by_this_thread();
[[nodiscard]] std::int64_t n_allocations_of_all_threads();

}  // namespace mie::test
