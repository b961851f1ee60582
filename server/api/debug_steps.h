// GET /debug/steps?last=K: what the engine's last steps planned, ran and cost. Numbers and request ids, never text.
#pragma once

#include "server/exchange.h"
#include "server/service.h"

namespace mie::api {

net::awaitable<void> serve_debug_steps(Exchange& exchange, Service& service);

}  // namespace mie::api
