// From a well-formed head to its handler: Host, route, method, then the handler; counts the request at its end.
#pragma once

#include "server/exchange.h"
#include "server/service.h"
#include "server/session.h"

namespace mie {

net::awaitable<void> dispatch(Exchange& exchange, Service& service, PeerInfo peer);

}  // namespace mie
