// Settings that are right alone and wrong together. Pure; any thread.
#pragma once

#include "bench/workload/spec/workload_spec.h"

namespace mie::bench {

// The first of them, with the key that it is reported at.
[[nodiscard]] std::optional<Fields::Fault> contradiction(const WorkloadSpec& spec);

}  // namespace mie::bench
