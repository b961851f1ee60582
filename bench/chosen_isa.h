// The instruction set of the kernels that a benchmark runs. The main thread, before threads start.
#pragma once

#include "core/base/error.h"
#include "models/native/isa.h"

namespace mie::bench {

// MIE_ISA, or the best unit that this CPU runs.
Result<native::Isa> chosen_isa();

}  // namespace mie::bench
