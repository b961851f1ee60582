// The published figures that `mie bench kv` must meet to the last digit. Pure functions; any thread.
#pragma once

#include "bench/kv/capacity.h"
#include "bench/kv/length_lists.h"

namespace mie::bench {

// Sum and digest of the list.
[[nodiscard]] bool list_exact(const LengthList& list);

// Every figure of the row, the closed form's.
[[nodiscard]] bool capacity_exact(const CapacityRow& row);

}  // namespace mie::bench
