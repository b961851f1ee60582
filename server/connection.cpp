#include "server/connection.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace mie {
namespace {

constexpr std::size_t kReadBytes = std::size_t{16} << 10U;
constexpr std::size_t kMaxDiscarded = std::size_t{64} << 10U;
constexpr auto kHangUpPoll = std::chrono::milliseconds(100);
constexpr auto kTuple = net::as_tuple(net::use_awaitable);
using Error = boost::system::error_code;

}  // namespace

// Cancels the socket's operations when time is up. Each use has its own record, so a handler that comes late finds its
// record disarmed instead of cancelling the next operation.
class Connection::Deadline {
 public:
  Deadline(Connection& owner, TimePoint at) : owner_(owner), record_(std::make_shared<Armed>(Armed{&owner.socket_, false})) {
    owner_.armed_ = record_;
    owner_.timer_.expires_at(at);
    owner_.timer_.async_wait([record = record_](const Error& ec) {
      if (ec || record->socket == nullptr) return;
      record->expired = true;
      Error ignored;
      record->socket->cancel(ignored);
    });
  }
  ~Deadline() {  // NOLINT(bugprone-exception-escape): cancelling a timer has nothing to fail at
    record_->socket = nullptr;
    owner_.timer_.cancel();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  [[nodiscard]] bool expired() const { return record_->expired; }

 private:
  Connection& owner_;
  std::shared_ptr<Armed> record_;
};

Connection::Connection(Socket socket, const Clock& clock)
    : socket_(std::move(socket)), clock_(clock), timer_(socket_.get_executor()) {
  Error ignored;
  socket_.non_blocking(true, ignored);
}

Connection::~Connection() {
  if (armed_) armed_->socket = nullptr;
}

void Connection::consume(std::size_t n_bytes) {
  n_consumed_ += n_bytes;
  if (n_consumed_ == unread_.size()) {
    unread_.clear();
    n_consumed_ = 0;
  }
}

net::awaitable<Connection::ReadEnd> Connection::read_more(TimePoint deadline) {
  if (cancelled_) co_return ReadEnd::kCancelled;
  unread_.erase(0, n_consumed_);
  n_consumed_ = 0;
  const std::size_t n_old = unread_.size();
  unread_.resize(n_old + kReadBytes);
  const Deadline limit(*this, deadline);
  const auto [ec, n] = co_await socket_.async_read_some(net::buffer(unread_.data() + n_old, kReadBytes), kTuple);
  unread_.resize(n_old + n);
  if (n > 0) co_return ReadEnd::kSome;
  if (limit.expired()) co_return ReadEnd::kTimeout;
  co_return ec == net::error::operation_aborted ? ReadEnd::kCancelled : ReadEnd::kGone;
}

net::awaitable<Connection::WriteEnd> Connection::write(std::string_view bytes, Clock::duration stall_limit) {
  n_unwritten_ = bytes.size();
  while (n_unwritten_ > 0) {
    if (cancelled_) co_return WriteEnd::kCancelled;
    const Deadline limit(*this, clock_.now() + stall_limit);
    const auto rest = bytes.substr(bytes.size() - n_unwritten_);
    const auto [ec, n] = co_await socket_.async_write_some(net::buffer(rest.data(), rest.size()), kTuple);
    n_unwritten_ -= n;
    if (!ec) continue;
    if (limit.expired()) co_return WriteEnd::kStalled;
    co_return ec == net::error::operation_aborted ? WriteEnd::kCancelled : WriteEnd::kGone;
  }
  co_return WriteEnd::kAll;
}

void Connection::try_write(std::string_view bytes) noexcept {
  (void)::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool Connection::peer_has_closed() {
  pollfd state{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

net::awaitable<void> Connection::peer_gone() {
  char byte = 0;
  for (;;) {
    const auto [ec] = co_await socket_.async_wait(Socket::wait_read, kTuple);
    if (ec && ec != net::error::operation_aborted) co_return;
    const auto n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) co_return;
    if (n > 0 || ec) break;
  }
  // The next request is already here, so the socket stays readable and only its state can be asked. A cancelled write
  // also ends the wait above; it leads here too.
  net::steady_timer pause(socket_.get_executor());
  while (!peer_has_closed()) {
    pause.expires_after(kHangUpPoll);
    co_await pause.async_wait(net::use_awaitable);
  }
}

void Connection::cancel() noexcept {
  cancelled_ = true;
  Error ignored;
  socket_.cancel(ignored);
}

net::awaitable<void> Connection::close_gently(Clock::duration limit) {
  Error ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  const auto deadline = clock_.now() + limit;
  std::size_t n_discarded = 0;
  consume(unread().size());
  while (n_discarded < kMaxDiscarded && co_await read_more(deadline) == ReadEnd::kSome) {
    n_discarded += unread().size();
    consume(unread().size());
  }
  socket_.close(ignored);
}

}  // namespace mie
