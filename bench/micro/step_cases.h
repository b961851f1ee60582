// The whole step of a model in a file: batches of decodes, and a chunk of a prompt, sampling included.
#pragma once

#include "bench/micro/session.h"
#include "core/base/error.h"

#include <string>

namespace mie::bench {

// "step/decode-1", "step/decode-8", "step/decode-32", "step/prefill-512". Bytes: weights of a step and the K and V it reads.
// Errors: those of opening and packing the model.
Result<void> run_step_cases(MicroSession& session, const std::string& path);

}  // namespace mie::bench
