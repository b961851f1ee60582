// The bytes of one request, head and body, as they go out: made for all requests before the clock starts. Pure; any thread.
#pragma once

#include "bench/load/load_settings.h"
#include "bench/load/server_address.h"
#include "bench/workload/planned_request.h"

#include <string>

namespace mie::bench {

[[nodiscard]] std::string request_body(const PlannedRequest& request, const LoadSettings& settings);
[[nodiscard]] std::string request_bytes(const PlannedRequest& request, const LoadSettings& settings,
                                        const ServerAddress& server);

}  // namespace mie::bench
