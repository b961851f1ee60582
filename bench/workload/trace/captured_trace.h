// What came to our own server, as a trace: from a recording (`mie serve --record`). Pure; any thread.
#pragma once

#include "bench/workload/trace/trace.h"
#include "server/record/record.h"

namespace mie::bench {

// Requests that ended with an answer, by their arrival, in time from the first. The number of a block of `block` tokens stands
// for it and all before it, as in the published traces; a rest of a prompt has none. A recording knows no sessions.
[[nodiscard]] Trace captured_trace(const Record& record, int block);

}  // namespace mie::bench
