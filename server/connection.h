// One accepted connection: its socket, the bytes read and not yet used, and one deadline for whatever it is doing.
// Shared by its session and, for cancel() from outside, by the connection table; every call on the connection's strand.
#pragma once

#include "core/base/clock.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mie {

namespace net = boost::asio;

class Connection {
 public:
  using Socket = net::generic::stream_protocol::socket;  // TCP or unix
  using TimePoint = Clock::time_point;

  Connection(Socket socket, const Clock& clock);  // the clock outlives it
  ~Connection();

  [[nodiscard]] net::any_io_executor executor() { return socket_.get_executor(); }

  // Bytes received and not consumed; bytes of the next request stay here while this one is answered.
  [[nodiscard]] std::string_view unread() const { return std::string_view(unread_).substr(n_consumed_); }
  void consume(std::size_t n_bytes);

  enum class ReadEnd { kSome, kGone, kTimeout, kCancelled };
  // Adds to unread(). The deadline is a total: reading a byte does not extend it.
  net::awaitable<ReadEnd> read_more(TimePoint deadline);

  enum class WriteEnd { kAll, kGone, kStalled, kCancelled };
  // `bytes` lives until the return. kStalled: the client took nothing for `stall_limit`.
  net::awaitable<WriteEnd> write(std::string_view bytes, Clock::duration stall_limit);
  [[nodiscard]] std::size_t n_unwritten() const { return n_unwritten_; }  // of the write that is under way

  // What fits the socket at once; for last words to a client that may not be listening.
  void try_write(std::string_view bytes) noexcept;

  // Returns when the client has hung up (its end of input counts), without taking a byte. Never returns otherwise.
  // May run beside write(), not beside read_more().
  net::awaitable<void> peer_gone();

  // Whatever is pending ends with kCancelled.
  void cancel() noexcept;

  // Sends the end, then discards what the client still says for at most `limit` and 64 KiB: a close with unread bytes
  // would reset the connection and take the answer with it.
  net::awaitable<void> close_gently(Clock::duration limit);

 private:
  class Deadline;
  struct Armed {
    Socket* socket = nullptr;  // null: the connection is gone, or no deadline is set
    bool expired = false;
  };
  [[nodiscard]] bool peer_has_closed();

  Socket socket_;
  const Clock& clock_;
  net::steady_timer timer_;
  std::shared_ptr<Armed> armed_;  // shared with timer handlers, which may run after the operation they were for
  std::string unread_;
  std::size_t n_consumed_ = 0;
  std::size_t n_unwritten_ = 0;
  bool cancelled_ = false;
};

}  // namespace mie
