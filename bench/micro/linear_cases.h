// Linear operators of every weight format and numeric mode, at the shapes of a model of 7 billion weights and of the default
// model. One row reads its weights from memory and is held against the read probe; more rows count operations.
#pragma once

#include "bench/micro/session.h"
#include "models/native/fused_linear.h"

#include <string>

namespace mie::bench {

// "linear/q4_1/w4a8/7b-gate/m8"; bf16 weights have no mode.
[[nodiscard]] std::string linear_name(native::PackFormat format, native::ComputeMode mode, const std::string& shape, int rows);

void run_linear_cases(MicroSession& session);

}  // namespace mie::bench
