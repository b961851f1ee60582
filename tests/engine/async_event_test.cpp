#include "core/engine/async_event.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace mie::test {
namespace {

using namespace net::experimental::awaitable_operators;
using namespace std::chrono_literals;

net::awaitable<void> note_wake(AsyncEvent& event, int& n_woken) {
  co_await event.wait();
  ++n_woken;
}

void ignore(std::exception_ptr) {}

TEST(AsyncEvent, NotifyWakesEveryoneWhoWaitsAndNobodyLater) {
  net::io_context io;
  AsyncEvent event(io.get_executor());
  int n_woken = 0;
  for (int i = 0; i < 3; ++i) net::co_spawn(io, note_wake(event, n_woken), ignore);
  io.poll();
  event.notify();
  EXPECT_EQ(n_woken, 0);  // not inline
  io.poll();
  EXPECT_EQ(n_woken, 3);
  net::co_spawn(io, note_wake(event, n_woken), ignore);
  io.poll();
  EXPECT_EQ(n_woken, 3);
}

net::awaitable<bool> outlasts(AsyncEvent& event) {
  const auto began = std::chrono::steady_clock::now();
  co_await event.wait_for(5ms);
  co_return std::chrono::steady_clock::now() - began >= 5ms;
}

TEST(AsyncEvent, WaitForReturnsAfterItsTimeAndWaitIsEndlessAgain) {
  net::io_context io;
  AsyncEvent event(io.get_executor());
  auto passed = net::co_spawn(io, outlasts(event), net::use_future);
  io.run();
  EXPECT_TRUE(passed.get());
  io.restart();
  int n_woken = 0;
  net::co_spawn(io, note_wake(event, n_woken), ignore);
  io.run_for(20ms);
  EXPECT_EQ(n_woken, 0);
}

net::awaitable<std::size_t> timer_wins(AsyncEvent& event) {
  net::steady_timer timer(co_await net::this_coro::executor, 1ms);
  co_return (co_await (event.wait() || timer.async_wait(net::use_awaitable))).index();
}

TEST(AsyncEvent, ACancelledWaitEndsWithAnErrorNotWithAWake) {
  net::io_context io;
  AsyncEvent event(io.get_executor());
  auto index = net::co_spawn(io, timer_wins(event), net::use_future);
  io.run();
  EXPECT_EQ(index.get(), 1U);
}

}  // namespace
}  // namespace mie::test
