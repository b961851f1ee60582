// Accepts connections and spawns a session for each. One coroutine; runs until it is cancelled or closed.
// Owned by main. Its accept loop has a strand; start() and close() from any thread.
#pragma once

#include "core/base/error.h"
#include "server/connection_table.h"
#include "server/server_options.h"
#include "server/service.h"
#include "server/session.h"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <string>

namespace mie {

class Listener {
 public:
  // Binds and listens. Error kConfig naming the address and the reason.
  static Result<std::unique_ptr<Listener>> open(net::io_context& context, const ListenAddress& address, Service& service,
                                                ConnectionTable& table);
  ~Listener();

  void start();  // spawns the accept loop
  void close();  // no new connection from here on; the port is free soon after

  [[nodiscard]] const std::string& name() const { return name_; }  // "127.0.0.1:8000", or the path of the socket
  [[nodiscard]] std::uint16_t port() const { return port_; }       // 0 for a unix socket

  // Whether only this machine can reach it. `host` as ListenAddress::host. Error kConfig: not an IP address.
  static Result<bool> is_local(const ListenAddress& address);

 private:
  using Acceptor = net::basic_socket_acceptor<net::generic::stream_protocol>;
  Listener(net::io_context& context, Service& service, ConnectionTable& table);

  static net::awaitable<void> accept_loop(Listener* self);
  void welcome(Connection::Socket socket);
  [[nodiscard]] std::string remote_address(const Connection::Socket& socket) const;

  net::io_context& context_;
  net::any_io_executor strand_;
  Service& service_;
  ConnectionTable& table_;
  Acceptor acceptor_;
  std::string name_;
  std::string unix_path_;  // removed at the end
  std::uint16_t port_ = 0;
  PeerInfo peer_;
};

}  // namespace mie
