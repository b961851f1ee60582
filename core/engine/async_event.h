// "Look again": wakes the coroutines that wait for a condition to change. A condition variable for one executor: the
// condition is the waiter's own state, which lives on the same executor, so nothing is locked, latched or missed.
// A member of whatever holds that state; every call on the executor it was made with.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace mie {

namespace net = boost::asio;

class AsyncEvent {
 public:
  explicit AsyncEvent(const net::any_io_executor& executor);

  // Everyone who waits now is resumed through the executor, never inside this call.
  void notify();

  // Returns after a notify(), or for no reason: look at the condition again. A cancelled wait ends with operation_aborted;
  // it consumes nothing.
  net::awaitable<void> wait();

  // Also returns after `at_most`. REQUIRES: no other waiter, since there is one timer.
  net::awaitable<void> wait_for(std::chrono::steady_clock::duration at_most);

 private:
  net::awaitable<void> wait_for_timer();

  net::steady_timer timer_;  // expires never, or when the one waiter has had enough; cancelled to resume the waiters
};

}  // namespace mie
