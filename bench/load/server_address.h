// Where a server is: its URL taken apart, and the address it resolves to. A value, made before any clock runs; any thread.
#pragma once

#include "core/base/error.h"

#include <sys/socket.h>

#include <string>

namespace mie::bench {

struct ServerAddress {
  std::string host;    // for the Host field: host:port, as in the URL
  std::string prefix;  // path before /v1, without a slash at its end
  sockaddr_storage address{};
  socklen_t length = 0;
};

// Its clocks are ours.
[[nodiscard]] bool on_loopback(const ServerAddress& server);

// Error kConfig: not an http:// URL, or a name that does not resolve.
[[nodiscard]] Result<ServerAddress> resolve(const std::string& url);

}  // namespace mie::bench
