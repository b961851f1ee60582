// Work against a watch: the first to end wins, the other is cancelled and waited for, so both may refer to the caller's
// locals. Work that was done before it noticed that it had lost still counts as done: a client that hangs up on the last
// byte has its whole answer. What the winner throws is thrown here.
// REQUIRES: neither consumes bytes that a cancelled read would lose.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace mie {

// Empty: the watch won and the work was cut short.
template <class T>
boost::asio::awaitable<std::optional<T>> race(boost::asio::awaitable<T> work, boost::asio::awaitable<void> watch) {
  namespace net = boost::asio;
  const auto executor = co_await net::this_coro::executor;
  auto both = net::experimental::make_parallel_group(net::co_spawn(executor, std::move(work), net::deferred),
                                                     net::co_spawn(executor, std::move(watch), net::deferred));
  auto [order, work_failure, result, watch_failure] =
      co_await both.async_wait(net::experimental::wait_for_one(), net::use_awaitable);
  if (!work_failure) co_return std::move(result);
  const bool work_won = order[0] == 0;
  if (const auto& failure = work_won ? work_failure : watch_failure) std::rethrow_exception(failure);
  co_return std::nullopt;
}

}  // namespace mie
