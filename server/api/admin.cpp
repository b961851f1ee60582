#include "server/api/admin.h"

#include "server/json/response_write.h"

namespace mie::api {

net::awaitable<void> reset_prefix_cache(Exchange& exchange, Service& service) {
  const Loaded* loaded = service.loaded();
  if (loaded == nullptr) {
    co_await exchange.refuse({Errc::kLoading, "the model is being loaded", ""});
    co_return;
  }
  const int n_freed = co_await loaded->engine->reset_prefix_cache();
  json::JsonWriter out;
  out.begin_object().member("blocks_freed", n_freed).end_object();
  co_await exchange.answer({.body = out.take()});
}

}  // namespace mie::api
