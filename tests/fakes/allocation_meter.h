// Bytes asked of operator new by this thread. Linking allocation_meter.cpp replaces the global operators (under the thread
// sanitizer it listens to malloc instead). Test code.
#pragma once

#include <cstddef>

namespace mie::test {

[[nodiscard]] std::size_t bytes_allocated_by_this_thread();

}  // namespace mie::test
