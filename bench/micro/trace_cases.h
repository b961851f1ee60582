// What it costs the engine to record a step of 64 decoding sequences in its trace.
#pragma once

#include "bench/micro/session.h"

namespace mie::bench {

// "engine/step-trace/64-seqs"; a step of the default model takes some milliseconds.
void run_trace_cases(MicroSession& session);

}  // namespace mie::bench
