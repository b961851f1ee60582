#include "bench/load/connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mie::bench {
namespace {

constexpr std::size_t kPendingBytes = 2048;
// So small that a reader that does not read is felt by the server, not taken up by the kernel.
constexpr int kSlowReceiveBytes = 4096;

void set(int fd, int level, int name, int value) { ::setsockopt(fd, level, name, &value, sizeof value); }

}  // namespace

Connections::Connections(const ServerAddress& server, int n_at_most, EventReader* live)
    : server_(server), connections_(static_cast<std::size_t>(n_at_most)) {
  free_.reserve(connections_.size());
  idle_.reserve(connections_.size());
  for (int slot = n_at_most - 1; slot >= 0; --slot) {
    Connection& one = connections_[static_cast<std::size_t>(slot)];
    one.slot = slot;
    one.pending.reserve(kPendingBytes);
    if (live != nullptr) one.tokens.emplace(*live);
    free_.push_back(slot);
  }
}

Connections::~Connections() {
  for (const Connection& one : connections_)
    if (one.fd >= 0) ::close(one.fd);
  if (epoll_ >= 0) ::close(epoll_);
}

bool Connections::open(int wake_fd) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = kWake;
  return epoll_ >= 0 && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_fd, &event) == 0;
}

Connection* Connections::take_idle() {
  if (idle_.empty()) return nullptr;
  const int slot = idle_.back();
  idle_.pop_back();
  Connection& one = connections_[static_cast<std::size_t>(slot)];
  one.state = Connection::State::kBusy;
  return &one;
}

Connection* Connections::connect(bool slow, int& error) {
  error = 0;
  if (free_.empty()) return nullptr;
  Connection& one = connections_[static_cast<std::size_t>(free_.back())];
  one.fd = ::socket(server_.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (one.fd < 0) {
    error = errno;
    return nullptr;
  }
  set(one.fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (slow) set(one.fd, SOL_SOCKET, SO_RCVBUF, kSlowReceiveBytes);
  // Edges: a connection is registered once, and reading goes on until nothing is left.
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u32 = static_cast<std::uint32_t>(one.slot);
  const bool begun =
      ::connect(one.fd, reinterpret_cast<const sockaddr*>(&server_.address), server_.length) == 0 || errno == EINPROGRESS;
  if (!begun || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, one.fd, &event) != 0) {
    error = errno;
    ::close(one.fd);
    one.fd = -1;
    return nullptr;
  }
  free_.pop_back();
  one.state = Connection::State::kConnecting;
  one.slow = slow;
  one.id = ++n_opened_;
  return &one;
}

void Connections::keep(Connection& connection) {
  connection.state = Connection::State::kIdle;
  connection.request = -1;
  idle_.push_back(connection.slot);
}

void Connections::close(Connection& connection) {
  if (connection.state == Connection::State::kIdle) idle_.erase(std::find(idle_.begin(), idle_.end(), connection.slot));
  ::close(connection.fd);  // leaves the epoll set
  connection.fd = -1;
  connection.request = -1;
  connection.state = Connection::State::kFree;
  free_.push_back(connection.slot);
}

}  // namespace mie::bench
