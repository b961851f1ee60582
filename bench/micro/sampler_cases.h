// Sampling one row of logits on one thread. Two rows take turns, so that no branch is learned by heart and both stay in the
// caches, where the head leaves them.
#pragma once

#include "bench/micro/session.h"

namespace mie::bench {

// "sampler/greedy", "sampler/top-k-40-top-p-0.95" and others.
void run_sampler_cases(MicroSession& session);

}  // namespace mie::bench
