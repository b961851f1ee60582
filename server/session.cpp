#include "server/session.h"

#include "server/api/error_body.h"
#include "server/dispatch.h"
#include "server/exchange.h"

#include <algorithm>

namespace mie {
namespace {

constexpr auto kLinger = std::chrono::seconds(1);

// Counts as idle between requests, as active while it answers.
class ActivePeriod {
 public:
  ActivePeriod(ConnectionTable::Seat& seat, HttpMetrics& metrics) : seat_(seat), metrics_(metrics) {
    seat_.set(ConnectionState::kBusy);
    metrics_.connection_active(true);
  }
  ~ActivePeriod() { metrics_.connection_active(false); }
  ActivePeriod(const ActivePeriod&) = delete;
  ActivePeriod& operator=(const ActivePeriod&) = delete;

 private:
  ConnectionTable::Seat& seat_;
  HttpMetrics& metrics_;
};

class OpenConnection {
 public:
  explicit OpenConnection(HttpMetrics& metrics) : metrics_(metrics) { metrics_.connection_opened(); }
  ~OpenConnection() { metrics_.connection_closed(); }
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;

 private:
  HttpMetrics& metrics_;
};

struct NextHead {
  std::optional<std::variant<RequestHead, HeadFault>> head;  // unset: the connection ends without an answer
  std::size_t n_bytes = 0;                                   // of the head; it is still unread()
};

HeadFault late_head() { return {{Errc::kRequestTimeout, "the head of the request came too late", ""}, "H20"}; }

// Empty lines before a request line are skipped, as RFC 9112 advises.
void skip_blank_lines(Connection& connection) {
  while (connection.unread().starts_with("\r\n")) connection.consume(2);
}

// The first byte may take until `first_byte`; the whole head, from its first byte, the head timeout.
net::awaitable<NextHead> read_next_head(Connection& connection, Clock::time_point first_byte, const Service& service) {
  NextHead next;
  std::optional<Clock::time_point> whole_head;
  for (;;) {
    skip_blank_lines(connection);
    if (!connection.unread().empty()) {
      if (!whole_head) whole_head = service.clock().now() + service.options().head_timeout;
      next.head = read_head(connection.unread(), next.n_bytes);
      if (next.head) co_return next;
    }
    const auto end = co_await connection.read_more(whole_head.value_or(first_byte));
    if (end == Connection::ReadEnd::kTimeout && whole_head) next.head = late_head();
    if (end != Connection::ReadEnd::kSome) co_return next;
  }
}

// The answer to a head that cannot be trusted; nothing of the connection is read after it.
net::awaitable<void> answer_fault(std::shared_ptr<Connection> connection, Service& service, HeadFault fault) {
  service.metrics().bad_request(fault.rule);
  RequestHead none;
  none.method = "GET";
  Exchange exchange(std::move(connection), service, none, "GET / HTTP/1.1\r\n\r\n");
  exchange.close_after();
  const int status = api::error_row(fault.error.code).status;
  co_await exchange.refuse(std::move(fault.error));
  service.metrics().request_done("unmatched", "other", status, std::chrono::seconds(0));
}

enum class Next { kRequest, kClose };

net::awaitable<Next> serve_one(std::shared_ptr<Connection> connection, Service& service, PeerInfo peer, NextHead next,
                               bool last) {
  if (auto* fault = std::get_if<HeadFault>(&*next.head)) {
    co_await answer_fault(connection, service, std::move(*fault));
    co_return Next::kClose;
  }
  const std::string head_bytes(connection->unread().substr(0, next.n_bytes));
  connection->consume(next.n_bytes);
  Exchange exchange(connection, service, std::get<RequestHead>(std::move(*next.head)), head_bytes);
  if (exchange.framing_fault()) {
    co_await answer_fault(connection, service, *exchange.framing_fault());
    co_return Next::kClose;
  }
  if (last) exchange.close_after();
  co_await dispatch(exchange, service, peer);
  co_return co_await exchange.finish() ? Next::kRequest : Next::kClose;
}

}  // namespace

net::awaitable<void> run_session(std::shared_ptr<Connection> connection, std::unique_ptr<ConnectionTable::Seat> seat,
                                 Service* service, PeerInfo peer) {
  const OpenConnection open(service->metrics());
  const ServerOptions& options = service->options();
  ServerOptions::Duration patience = options.head_timeout;
  ConnectionState waiting = ConnectionState::kFresh;
  for (int n_left = options.max_requests_per_connection; n_left > 0; --n_left) {
    seat->set(waiting);
    NextHead next = co_await read_next_head(*connection, service->clock().now() + patience, *service);
    if (!next.head) break;
    const ActivePeriod active(*seat, service->metrics());
    if (co_await serve_one(connection, *service, peer, std::move(next), n_left == 1) == Next::kClose) break;
    patience = options.idle_timeout;
    waiting = ConnectionState::kIdle;
  }
  co_await connection->close_gently(kLinger);
}

}  // namespace mie
