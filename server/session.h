// One connection's life: read a head, answer it, again, until either side has had enough. A coroutine on the
// connection's strand, spawned by the listener.
#pragma once

#include "server/connection.h"
#include "server/connection_table.h"
#include "server/service.h"

#include <memory>

namespace mie {

// What a listener knows of its clients.
struct PeerInfo {
  bool loopback_tcp = false;  // Host is checked against DNS rebinding
};

// The service outlives it.
net::awaitable<void> run_session(std::shared_ptr<Connection> connection, std::unique_ptr<ConnectionTable::Seat> seat,
                                 Service* service, PeerInfo peer);

}  // namespace mie
