// One decision of the chunked scheduler at its busiest: 256 sequences decode, 4,096 wait. On one thread.
#pragma once

#include "bench/micro/session.h"

namespace mie::bench {

// "scheduler/decision/…": of a full house, of one with free seats, of one short of blocks; the mean of many calls, and the
// 99th percentile of single ones.
void run_scheduler_cases(MicroSession& session);

}  // namespace mie::bench
