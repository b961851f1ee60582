// The part of a record that the client knows without the answer: what was asked for, and its own stamps. Pure; any thread.
#pragma once

#include "bench/load/exchange.h"
#include "bench/load/load_settings.h"
#include "bench/load/request_record.h"
#include "bench/workload/planned_request.h"

#include <cstdint>

namespace mie::bench {

[[nodiscard]] RequestRecord sent_record(const PlannedRequest& planned, const Exchange& exchange, const LoadSettings& settings,
                                        std::int64_t began_ns);

}  // namespace mie::bench
