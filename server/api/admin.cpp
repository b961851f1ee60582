#include "server/api/admin.h"

#include "server/api/engine_state.h"
#include "server/json/response_write.h"

#include <utility>

namespace mie::api {

net::awaitable<void> reset_prefix_cache(Exchange& exchange, Service& service) {
  if (auto error = unanswerable(service)) {
    co_await exchange.refuse(*std::move(error));
    co_return;
  }
  const int n_freed = co_await service.loaded()->engine->reset_prefix_cache();
  json::JsonWriter out;
  out.begin_object().member("blocks_freed", n_freed).end_object();
  co_await exchange.answer({.body = out.take()});
}

}  // namespace mie::api
