// The row operations around the linear layers, on one thread and out of its caches: RMSNorm, quantisation, rounding, SiLU, RoPE
// with the store into K and V pages.
#pragma once

#include "bench/micro/session.h"

namespace mie::bench {

void run_row_cases(MicroSession& session);

}  // namespace mie::bench
