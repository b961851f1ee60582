// GET /debug/kv: who holds the KV cache at this moment, as numbers: blocks, utilisation, waste, and each request's share of
// them. No text and no token id. A session's coroutine; the engine copies its state between two steps.
#pragma once

#include "core/engine/snapshot.h"
#include "server/exchange.h"
#include "server/service.h"

#include <string>

namespace mie::api {

net::awaitable<void> serve_debug_kv(Exchange& exchange, Service& service);

// The answer's body.
[[nodiscard]] std::string debug_kv_body(const EngineSnapshot& snapshot);

}  // namespace mie::api
