#include "server/dispatch.h"

#include "server/api/admin.h"
#include "server/api/debug_kv.h"
#include "server/api/debug_steps.h"
#include "server/api/generation.h"
#include "server/api/small_routes.h"
#include "server/cors.h"
#include "server/router.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mie {
namespace {

std::optional<Error> refusal(const Exchange& exchange, const Service& service, PeerInfo peer, const RouteMatch& match) {
  const RequestHead& head = exchange.head();
  if (peer.loopback_tcp && !head.host.empty() && !host_allowed(service.options(), head.host)) {
    return Error{Errc::kHostNotAllowed, "Host is not one of this server's names; see --allowed-hosts", "Host"};
  }
  if (match.route == nullptr) return Error{Errc::kNotFound, "there is no such path", ""};
  if (!match.method_allowed) return Error{Errc::kMethodNotAllowed, "the path does not take this method", ""};
  const bool takes_body = head.method == "POST" && match.route->id != RouteId::kResetPrefixCache;
  if (!takes_body && head.has_body()) return Error{Errc::kBadHttp, "malformed request: body on this method", ""};
  return {};
}

net::awaitable<void> answer_options(Exchange& exchange, Service& service, const Route& route) {
  Answer answer;
  answer.status = 204;
  answer.content_type.clear();
  if (is_preflight(exchange.head()))
    answer.fields = preflight_fields(service.options(), exchange.head());
  else
    answer.fields.emplace_back("Allow", route.allow);
  co_await exchange.answer(std::move(answer));
}

net::awaitable<void> refuse(Exchange& exchange, Service& service, Error error, const RouteMatch& match) {
  if (error.code == Errc::kMethodNotAllowed) {
    Answer answer;
    answer.status = 405;
    answer.body = api::method_not_allowed_body();
    answer.fields.emplace_back("Allow", match.route->allow);
    co_await exchange.answer(std::move(answer));
  } else {
    if (error.code == Errc::kBadHttp) service.metrics().bad_request("H16");
    co_await exchange.refuse(std::move(error));
  }
}

net::awaitable<Result<Answer>> small_answer(Service& service, const RouteMatch& match) {
  co_return api::small_route_answer(service, match);
}

net::awaitable<void> handle(Exchange& exchange, Service& service, PeerInfo peer, const RouteMatch& match) {
  if (auto error = refusal(exchange, service, peer, match))
    co_return co_await refuse(exchange, service, *std::move(error), match);
  if (exchange.head().method == "OPTIONS") co_return co_await answer_options(exchange, service, *match.route);
  switch (match.route->id) {
    case RouteId::kCompletions:
      co_return co_await api::serve_generation(exchange, service, api::GenerationKind::kCompletion);
    case RouteId::kChatCompletions:
      co_return co_await api::serve_generation(exchange, service, api::GenerationKind::kChat);
    case RouteId::kResetPrefixCache:
      co_return co_await api::reset_prefix_cache(exchange, service);
    case RouteId::kDebugKv:
      co_return co_await api::serve_debug_kv(exchange, service);
    case RouteId::kDebugSteps:
      co_return co_await api::serve_debug_steps(exchange, service);
    default:
      break;
  }
  Result<Answer> answer = Error{};
  if (match.route->id == RouteId::kModel)  // may read the model's file
    answer = co_await net::co_spawn(service.slow_lane(), small_answer(service, match), net::use_awaitable);
  else
    answer = api::small_route_answer(service, match);
  if (answer.has_error())
    co_await exchange.refuse(answer.error());
  else
    co_await exchange.answer(std::move(*answer));
}

// Counts the request when it ends, however that is.
class CountedRequest {
 public:
  CountedRequest(const Exchange& exchange, Service& service, const RouteMatch& match)
      : exchange_(exchange), service_(service), handler_(match.route == nullptr ? "unmatched" : match.route->pattern) {}
  ~CountedRequest() {
    const auto took = service_.clock().now() - exchange_.arrival();
    service_.metrics().request_done(handler_, method_label(exchange_.head().method), exchange_.status(), took);
  }
  CountedRequest(const CountedRequest&) = delete;
  CountedRequest& operator=(const CountedRequest&) = delete;

 private:
  const Exchange& exchange_;
  Service& service_;
  std::string_view handler_;
};

}  // namespace

net::awaitable<void> dispatch(Exchange& exchange, Service& service, PeerInfo peer) {
  const RouteMatch match = match_route(exchange.head().method, exchange.head().path);
  const CountedRequest counted(exchange, service, match);
  co_await handle(exchange, service, peer, match);
}

}  // namespace mie
