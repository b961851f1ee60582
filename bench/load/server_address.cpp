#include "bench/load/server_address.h"

#include <netdb.h>

#include <cstring>
#include <memory>
#include <string_view>

namespace mie::bench {
namespace {

constexpr std::string_view kScheme = "http://";

Error bad(const std::string& url, const std::string& why) {
  return {Errc::kConfig, "target.url " + url + ": " + why, "target.url"};
}

struct HostPort {
  std::string host, port = "80";
};

// "[::1]:8000", "localhost:8000", "localhost".
HostPort split(std::string_view authority) {
  HostPort out;
  const auto bracket = authority.find(']');
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = authority.substr(0, colon);
  if (colon != std::string_view::npos) out.port = authority.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  out.host = host;
  return out;
}

}  // namespace

Result<ServerAddress> resolve(const std::string& url) {
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) return bad(url, "must start with http://");
  rest.remove_prefix(kScheme.size());
  const auto slash = rest.find('/');
  ServerAddress out;
  out.host = rest.substr(0, slash);
  if (slash != std::string_view::npos) out.prefix = rest.substr(slash);
  while (out.prefix.ends_with('/')) out.prefix.pop_back();
  const HostPort where = split(out.host);
  if (where.host.empty() || where.port.empty()) return bad(url, "names no host or port");

  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int code = ::getaddrinfo(where.host.c_str(), where.port.c_str(), &hints, &found); code != 0)
    return bad(url, ::gai_strerror(code));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  std::memcpy(&out.address, found->ai_addr, found->ai_addrlen);
  out.length = found->ai_addrlen;
  return out;
}

bool on_loopback(const ServerAddress& server) {
  if (server.address.ss_family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, &server.address, sizeof address);
    return ntohl(address.sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
  }
  sockaddr_in6 address{};
  std::memcpy(&address, &server.address, sizeof address);
  return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
}

}  // namespace mie::bench
