#include "core/engine/async_event.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace mie {
namespace {

constexpr auto kNever = net::steady_timer::time_point::max();

}  // namespace

AsyncEvent::AsyncEvent(const net::any_io_executor& executor) : timer_(executor, kNever) {}

void AsyncEvent::notify() { timer_.cancel(); }

net::awaitable<void> AsyncEvent::wait() {
  if (timer_.expiry() != kNever) timer_.expires_at(kNever);
  return wait_for_timer();
}

net::awaitable<void> AsyncEvent::wait_for(std::chrono::steady_clock::duration at_most) {
  timer_.expires_after(at_most);
  return wait_for_timer();
}

net::awaitable<void> AsyncEvent::wait_for_timer() {
  co_await timer_.async_wait(net::as_tuple(net::use_awaitable));
  // notify() and the cancellation of the waiting coroutine end the wait with the same error; only one is an error here.
  if ((co_await net::this_coro::cancellation_state).cancelled() != net::cancellation_type::none) {
    throw boost::system::system_error(net::error::operation_aborted);
  }
}

}  // namespace mie
