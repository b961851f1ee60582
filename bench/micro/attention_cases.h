// Attention over paged K and V, through the runner that serves: two steps with the same rows and different contexts, whose
// difference is the attention. The layers around it are the smallest that the backend runs.
#pragma once

#include "bench/micro/session.h"

namespace mie::bench {

// "attention/decode/group-7-d128", "attention/prefill/group-7-d128"; group 3 and D = 64 are the default model's.
void run_attention_cases(MicroSession& session);

}  // namespace mie::bench
