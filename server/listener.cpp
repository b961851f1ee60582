#include "server/listener.h"

#include "core/base/log.h"
#include "server/api/error_body.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <array>
#include <cstring>

namespace mie {
namespace {

using Tcp = net::ip::tcp;
using Code = boost::system::error_code;
constexpr auto kFullPause = std::chrono::milliseconds(100);

Error cannot(const std::string& what, const Code& reason) {
  return {Errc::kConfig, "cannot listen on " + what + ": " + reason.message(), "host"};
}

Result<net::ip::address> parse_host(const std::string& host) {
  if (host == "localhost") return net::ip::address(net::ip::address_v4::loopback());
  Code ec;
  auto address = net::ip::make_address(host, ec);
  if (ec) return Error{Errc::kConfig, "--host must be an IP address or localhost", "host"};
  return address;
}

// The port that the kernel chose.
std::uint16_t bound_port(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (storage.ss_family == AF_INET) return std::memcpy(&v4, &storage, sizeof v4), ntohs(v4.sin_port);
  return std::memcpy(&v6, &storage, sizeof v6), ntohs(v6.sin6_port);
}

std::string full_answer() {
  const std::string body = api::error_body({Errc::kTooManyConnections, "too many connections", ""});
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nx-should-retry: true\r\n"
         "Connection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

Listener::Listener(net::io_context& context, Service& service, ConnectionTable& table)
    : context_(context), strand_(net::make_strand(context)), service_(service), table_(table), acceptor_(strand_) {}

Listener::~Listener() {
  if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
}

Result<bool> Listener::is_local(const ListenAddress& address) {
  if (!address.unix_path.empty()) return true;
  const auto host = parse_host(address.host);
  if (host.has_error()) return host.error();
  return host->is_loopback();
}

Result<std::unique_ptr<Listener>> Listener::open(net::io_context& context, const ListenAddress& address, Service& service,
                                                 ConnectionTable& table) {
  std::unique_ptr<Listener> self(new Listener(context, service, table));
  net::generic::stream_protocol::endpoint endpoint;
  net::generic::stream_protocol protocol(Tcp::v4());
  if (address.unix_path.empty()) {
    const auto host = parse_host(address.host);
    if (host.has_error()) return host.error();
    const Tcp::endpoint tcp(*host, address.port);
    endpoint = tcp;
    protocol = tcp.protocol();
    self->name_ = address.host + ':' + std::to_string(address.port);
    self->peer_.loopback_tcp = host->is_loopback();
  } else {
    if (address.unix_path.size() >= sizeof(sockaddr_un::sun_path)) {
      return Error{Errc::kConfig, "--uds " + address.unix_path + " is too long for a socket path", "uds"};
    }
    const net::local::stream_protocol::endpoint local(address.unix_path);
    endpoint = local;
    protocol = local.protocol();
    self->name_ = address.unix_path;
  }
  Code ec;
  self->acceptor_.open(protocol, ec);
  if (!ec && address.unix_path.empty()) self->acceptor_.set_option(net::socket_base::reuse_address(true), ec);
  if (!ec) self->acceptor_.bind(endpoint, ec);
  if (!ec) self->acceptor_.listen(net::socket_base::max_listen_connections, ec);
  if (ec) return cannot(self->name_, ec);
  if (address.unix_path.empty()) {
    self->port_ = bound_port(self->acceptor_.native_handle());
    self->name_ = address.host + ':' + std::to_string(self->port_);
  } else {
    self->unix_path_ = address.unix_path;
  }
  return self;
}

void Listener::start() { net::co_spawn(strand_, accept_loop(this), service_.tasks().supervise("listener")); }

void Listener::close() {
  net::post(strand_, [this] {
    Code ignored;
    acceptor_.close(ignored);
  });
}

net::awaitable<void> Listener::accept_loop(Listener* self) {
  net::steady_timer pause(self->strand_);
  for (;;) {
    auto [ec, socket] = co_await self->acceptor_.async_accept(net::any_io_executor(net::make_strand(self->context_)),
                                                              net::as_tuple(net::use_awaitable));
    if (!self->acceptor_.is_open()) co_return;
    if (!ec) {
      self->welcome(std::move(socket));
    } else if (ec != net::error::connection_aborted) {  // out of descriptors or memory: others may leave meanwhile
      logger("http")->warn("accept failed=\"{}\"", ec.message());
      pause.expires_after(kFullPause);
      co_await pause.async_wait(net::use_awaitable);
    }
  }
}

std::string Listener::remote_address(const Connection::Socket& socket) const {
  if (!unix_path_.empty()) return {};
  Code ec;
  const auto remote = socket.remote_endpoint(ec);
  if (ec) return "?";
  Tcp::endpoint tcp;
  tcp.resize(remote.size());
  std::memcpy(tcp.data(), remote.data(), remote.size());
  return tcp.address().to_string();
}

void Listener::welcome(Connection::Socket socket) {
  Code ignored;
  if (unix_path_.empty()) socket.set_option(Tcp::no_delay(true), ignored);
  const std::string address = remote_address(socket);
  auto connection = std::make_shared<Connection>(std::move(socket), service_.clock());
  auto seat = table_.enter(connection, address);
  if (!seat) {
    service_.metrics().connection_refused();
    connection->try_write(full_answer());
    return;
  }
  const auto executor = connection->executor();
  net::co_spawn(executor, run_session(std::move(connection), std::move(seat), &service_, peer_),
                service_.tasks().supervise("session"));
}

}  // namespace mie
