// POST /v1/chat/completions and POST /v1/completions, from a well-formed head to the end of the answer. Coroutine on the
// connection's strand.
#pragma once

#include "server/api/answer_json.h"
#include "server/exchange.h"
#include "server/service.h"

namespace mie::api {

// `exchange` and `service` outlive the call.
net::awaitable<void> serve_generation(Exchange& exchange, Service& service, GenerationKind kind);

}  // namespace mie::api
