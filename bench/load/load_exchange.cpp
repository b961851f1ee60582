// The half of LoadLoop that moves bytes: connections, sends, reads, ends.
#include "bench/load/load_loop.h"
#include "bench/load/stamp_clock.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

namespace mie::bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
constexpr std::int64_t kPreconnectWithin = 2'000'000'000;  // ns
constexpr int kOpenLoopAhead = 4;                          // a server may give each idle connection a thread: few
constexpr double kSlowReadEvery = 0.02;                    // s between the reads of a slow reader

// By the look of it: statuses that only the body tells are found after the run.
RequestStatus apparent(Ending ending, int http_status) {
  switch (ending) {
    case Ending::kNotSent:
    case Ending::kDropped:
      return RequestStatus::not_sent;
    case Ending::kConnectFailed:
      return RequestStatus::connect_error;
    case Ending::kTimedOut:
      return RequestStatus::client_timeout;
    case Ending::kCancelled:
    case Ending::kStopped:
      return RequestStatus::cancelled_by_client;
    case Ending::kReset:
      return RequestStatus::reset;
    case Ending::kBroken:
      return RequestStatus::bad_content;
    case Ending::kClosed:
      return http_status == 200 ? RequestStatus::stream_truncated : RequestStatus::reset;
    case Ending::kComplete:
      break;
  }
  if (http_status == 200) return RequestStatus::ok;
  if (http_status == 429) return RequestStatus::rejected_429;
  if (http_status == 503) return RequestStatus::rejected_503;
  return http_status < 500 ? RequestStatus::http_4xx : RequestStatus::http_5xx;
}

bool exhausted(int error) { return error == EMFILE || error == ENFILE || error == EADDRNOTAVAIL || error == ENOBUFS; }

struct SlowPace {
  std::size_t bytes;
  std::int64_t every_ns;
};

SlowPace pace_of(double bytes_per_s) {
  const double every = std::max(kSlowReadEvery, 1 / bytes_per_s);
  return {static_cast<std::size_t>(std::max(1.0, std::round(bytes_per_s * every))), static_cast<std::int64_t>(every * 1e9)};
}

}  // namespace

bool LoadLoop::open() {
  if (wake_ < 0 || !connections_.open(wake_)) return false;
  schedule_.order();
  if (parts_.settings.keepalive) preconnect();
  return true;
}

void LoadLoop::preconnect() {
  const LoadSettings& settings = parts_.settings;
  int n = settings.closed ? settings.closed->concurrency : settings.max_in_flight.value_or(kOpenLoopAhead);
  n = std::min({n, parts_.n_connections, static_cast<int>(parts_.requests.size())});
  int error = 0;
  for (int i = 0; i < n; ++i)
    if (connections_.connect(false, error) == nullptr) return;
  const std::int64_t until = stamp_ns() + kPreconnectWithin;
  const auto connecting = [](const Connection& one) { return one.state == Connection::State::kConnecting; };
  std::array<epoll_event, 64> events{};
  while (std::any_of(connections_.all().begin(), connections_.all().end(), connecting) && stamp_ns() < until) {
    const int ready = ::epoll_wait(connections_.epoll(), events.data(), static_cast<int>(events.size()), 10);
    for (int i = 0; i < ready; ++i)
      on_event(events[static_cast<std::size_t>(i)].data.u32, events[static_cast<std::size_t>(i)].events);
  }
}

void LoadLoop::start(int request) {
  Exchange& exchange = of(request);
  const bool slow = planned(request).read_bytes_per_s.has_value();
  if (slow && connections_.full()) connections_.close(*connections_.take_idle());  // one of its own needs a place
  int error = 0;
  Connection* connection = slow ? nullptr : connections_.take_idle();
  if (connection == nullptr) connection = connections_.connect(slow, error);
  if (connection == nullptr) {
    exchange.error_number = error;
    out_of_sockets_ = out_of_sockets_ || exhausted(error);
    return end(request, Ending::kConnectFailed, stamp_ns());
  }
  exchange.connection = connection->id;
  connection->request = request;
  connection->sent = 0;
  const bool counts = connection->tokens && planned(request).cancel.after_tokens;
  connection->answer.emplace(connection->pending, counts ? &*connection->tokens : nullptr);
  if (parts_.settings.timeout)
    alarms_.add(stamp_ns() + parts_.settings.timeout->count(),
                {Alarm::kTimeout, request, static_cast<std::uint32_t>(connection->slot)});
  if (connection->state == Connection::State::kBusy) send_on(*connection);
}

void LoadLoop::send_on(Connection& connection) {
  const int request = connection.request;
  const std::string& bytes = parts_.bytes[static_cast<std::size_t>(request)];
  Exchange& exchange = of(request);
  if (exchange.send_ns == Exchange::kNever) {
    schedule_.sent(request, stamp_ns());
    if (const auto& after = planned(request).cancel.after)
      alarms_.add(exchange.send_ns + after->count(), {Alarm::kCancel, request, static_cast<std::uint32_t>(connection.slot)});
  }
  while (connection.sent < bytes.size()) {
    const auto n = ::send(connection.fd, bytes.data() + connection.sent, bytes.size() - connection.sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return at_end_of_input(connection, errno, stamp_ns());  // what had arrived was read before
    connection.sent += static_cast<std::size_t>(n);
    exchange.bytes_out += n;
  }
  exchange.sent_ns = stamp_ns();
  if (connection.slow) slow_read(connection, exchange.sent_ns);
}

void LoadLoop::on_event(std::uint32_t slot, std::uint32_t events) {
  if (slot == Connections::kWake) {
    std::uint64_t n = 0;
    [[maybe_unused]] const auto read = ::read(wake_, &n, sizeof n);
    return;
  }
  Connection& connection = connections_.at(slot);
  if (connection.state == Connection::State::kFree) return;
  if (connection.state == Connection::State::kConnecting && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0)
    return on_connected(connection);
  const int request = connection.request;
  const bool unsent = request >= 0 && connection.sent < parts_.bytes[static_cast<std::size_t>(request)].size();
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && !connection.slow) receive(connection, events);
  if ((events & EPOLLOUT) != 0 && unsent && connection.request == request) send_on(connection);
}

void LoadLoop::on_connected(Connection& connection) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(connection.fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    if (connection.request < 0) return connections_.close(connection);
    of(connection.request).error_number = error;
    out_of_sockets_ = out_of_sockets_ || exhausted(error);
    return end_on(connection, Ending::kConnectFailed, stamp_ns());
  }
  if (connection.request < 0) return connections_.keep(connection);
  connection.state = Connection::State::kBusy;
  send_on(connection);
}

void LoadLoop::receive(Connection& connection, std::uint32_t events) {
  // A read that was not filled took all there was; what comes after it is another edge. Only an end has to be read as well.
  const bool ends = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  for (Read read = Read::kAll; read == Read::kAll || (read == Read::kDrained && ends);)
    read = receive_once(connection, kReadBytes);
}

LoadLoop::Read LoadLoop::receive_once(Connection& connection, std::size_t most) {
  const auto tail = parts_.arena.tail(most);
  if (tail.empty()) {
    schedule_.give_up("the memory for what arrives is full");
    return Read::kOver;
  }
  const auto n = ::recv(connection.fd, tail.data(), tail.size(), 0);
  const std::int64_t at = stamp_ns();
  if (n < 0 && errno == EINTR) return Read::kAll;
  if (n < 0 && errno == EAGAIN) return Read::kOver;
  if (n <= 0 || connection.request < 0) {  // an idle connection has nothing to say but that it is closed
    at_end_of_input(connection, n < 0 ? errno : 0, at);
    return Read::kOver;
  }
  const auto size = static_cast<std::size_t>(n);
  parts_.arena.keep(connection.request, at, size);
  arrived(connection, {tail.data(), size}, at);
  if (connection.state == Connection::State::kFree) return Read::kOver;
  return size == tail.size() ? Read::kAll : Read::kDrained;
}

void LoadLoop::arrived(Connection& connection, std::string_view bytes, std::int64_t at_ns) {
  const int request = connection.request;
  Exchange& exchange = of(request);
  LiveAnswer& answer = *connection.answer;
  exchange.bytes_in += static_cast<std::int64_t>(bytes.size());
  const auto state = answer.feed(bytes);
  exchange.http_status = answer.http_status();
  if (exchange.first_ns == Exchange::kNever && answer.body_seen()) exchange.first_ns = at_ns;
  schedule_.progress().tokens.fetch_add(answer.n_chunks() - exchange.n_chunks, std::memory_order_relaxed);
  exchange.n_chunks = answer.n_chunks();
  exchange.tokens = answer.n_tokens();
  if (state == AnswerFraming::State::kComplete) return end_on(connection, Ending::kComplete, at_ns);
  if (state == AnswerFraming::State::kBroken) return end_on(connection, Ending::kBroken, at_ns);
  const auto& cancel = planned(request).cancel;
  if (cancel.after_tokens && exchange.tokens >= *cancel.after_tokens) end_on(connection, Ending::kCancelled, at_ns);
}

void LoadLoop::at_end_of_input(Connection& connection, int error, std::int64_t at_ns) {
  if (connection.request < 0) return connections_.close(connection);
  of(connection.request).error_number = error;
  if (error != 0) return end_on(connection, Ending::kReset, at_ns);
  const bool whole = connection.answer->head_seen() && connection.answer->close() == AnswerFraming::State::kComplete;
  end_on(connection, whole ? Ending::kComplete : Ending::kClosed, at_ns);
}

void LoadLoop::slow_read(Connection& connection, std::int64_t now_ns) {
  const int request = connection.request;
  const SlowPace pace = pace_of(*planned(request).read_bytes_per_s);
  static_cast<void>(receive_once(connection, pace.bytes));
  if (connection.request == request)
    alarms_.add(now_ns + pace.every_ns, {Alarm::kSlowRead, request, static_cast<std::uint32_t>(connection.slot)});
}

void LoadLoop::end_on(Connection& connection, Ending ending, std::int64_t at_ns) {
  const int request = connection.request;
  const bool keep = ending == Ending::kComplete && parts_.settings.keepalive && !connection.slow &&
                    connection.sent == parts_.bytes[static_cast<std::size_t>(request)].size() && connection.answer->reusable();
  if (keep) {
    connections_.keep(connection);
  } else {
    connections_.close(connection);
  }
  end(request, ending, at_ns);
}

void LoadLoop::end(int request, Ending ending, std::int64_t at_ns) {
  const Exchange& exchange = of(request);
  schedule_.ended(request, ending, at_ns, exchange.n_chunks, apparent(ending, exchange.http_status));
}

}  // namespace mie::bench
