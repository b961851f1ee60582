// What operators do to a running server: POST /reset_prefix_cache. On the connection's strand.
#pragma once

#include "server/exchange.h"
#include "server/service.h"

#include <boost/asio/awaitable.hpp>

namespace mie::api {

// Drops the cached blocks that no request holds; answers with their number.
net::awaitable<void> reset_prefix_cache(Exchange& exchange, Service& service);

}  // namespace mie::api
