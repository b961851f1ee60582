#include "core/engine/engine.h"
#include "tests/engine/running_engine.h"
#include "tests/fakes/conservation_laws.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mie::test {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;
using namespace net::experimental::awaitable_operators;

// Two of four requests run, in their first step, which waits at the gate.
class Drain : public ::testing::Test {
 protected:
  Drain() : running({.limits = {.max_seqs = 2, .max_tokens = 32, .max_prefill_chunk = 8}}) {
    running.runner.set_before_step([this](int, const StepBatch&) { gate.pass(); });
    for (int i = 0; i < 4; ++i) replies.push_back(running.ask(make_request(i, 4, 30)));
    running.engine.start();
    EXPECT_TRUE(gate.wait_for_arrival(1));
  }
  ~Drain() override { gate.open(); }

  Gate gate;
  RunningEngine running;
  std::vector<std::future<Reply>> replies;
};

TEST_F(Drain, LetsRunningOnesEndAndTurnsWaitingOnesAway) {
  auto drained = net::co_spawn(running.io, running.engine.drain(10s), net::use_future);
  gate.open();
  EXPECT_TRUE(drained.get());
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(replies[i].get().tokens, expected(running.setup.model, make_request(static_cast<int>(i), 4, 30)));
  for (std::size_t i = 2; i < 4; ++i) {
    const Reply reply = replies[i].get();
    EXPECT_TRUE(reply.tokens.empty());
    EXPECT_EQ(reply.finish.reason, FinishReason::kCancelled);
    EXPECT_EQ(reply.finish.error->code, Errc::kDraining);
  }
  EXPECT_TRUE(running.engine.health().draining);
  const auto refused = running.engine.submit({make_request(9, 4, 4)}, running.io.get_executor());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kDraining);
  ASSERT_TRUE(running.settle());
  EXPECT_THAT(broken_laws(running.metrics(), LawsOf::kIdle), IsEmpty());
  running.engine.stop();
}

TEST_F(Drain, EndsWhatIsLeftAtTheLimit) {
  running.runner.set_faults({});
  gate.allow(1);  // the first step, so that two run
  ASSERT_TRUE(gate.wait_for_arrival(2));
  auto drained = net::co_spawn(running.io, running.engine.drain(20ms), net::use_future);
  std::this_thread::sleep_for(30ms);
  std::jthread slowly([this] {  // one step each 5 ms: 30 would take longer than the limit
    for (int i = 0; i < 30; ++i) {
      gate.allow(1);
      std::this_thread::sleep_for(5ms);
    }
  });
  EXPECT_FALSE(drained.get());
  for (std::size_t i = 0; i < 2; ++i) {
    const Reply reply = replies[i].get();
    EXPECT_EQ(reply.finish.reason, FinishReason::kCancelled);
    EXPECT_EQ(reply.finish.error->code, Errc::kServerShutdown);
    EXPECT_TRUE(is_prefix(reply.tokens, expected(running.setup.model, make_request(static_cast<int>(i), 4, 30))));
  }
  ASSERT_TRUE(running.settle());
  EXPECT_THAT(broken_laws(running.metrics(), LawsOf::kIdle), IsEmpty());
}

TEST_F(Drain, AReleaseDuringItFreesAtOnceAndLetsItEnd) {
  const auto stream = running.submit(make_request(7, 4, 4));
  auto drained = net::co_spawn(running.io, running.engine.drain(10s), net::use_future);
  running.engine.release(stream->id(), Outcome::kClientGone, 0);
  gate.open();
  EXPECT_TRUE(drained.get());
  for (auto& reply : replies) reply.get();
  ASSERT_TRUE(running.settle());
  EXPECT_THAT(broken_laws(running.metrics(), LawsOf::kIdle), IsEmpty());
}

net::awaitable<std::size_t> drain_or_signal(Engine& engine) {
  net::steady_timer signal(co_await net::this_coro::executor, 10ms);
  co_return (co_await (engine.drain(10s) || signal.async_wait(net::use_awaitable))).index();
}

TEST_F(Drain, ItsWaitCanBeCutShort) {
  auto first = net::co_spawn(net::make_strand(running.io), drain_or_signal(running.engine), net::use_future);
  std::this_thread::sleep_for(30ms);
  gate.open();
  EXPECT_EQ(first.get(), 1U);
}

TEST(DrainIdle, ReturnsAtOnceAndAgain) {
  RunningEngine running;
  running.engine.start();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(running.wait(running.engine.drain(10s)));
  EXPECT_TRUE(running.wait(running.engine.drain(std::chrono::steady_clock::duration::max())));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 500ms);
}

// A preempted request has begun to answer: it is not turned away.
TEST(DrainPreempted, GoesOn) {
  RunningEngine running({.n_blocks = 20});
  Gate gate;
  running.runner.set_before_step([&](int, const StepBatch&) { gate.pass(); });
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 2; ++i) replies.push_back(running.ask(make_request(i, 4, 70)));  // 74 tokens each of 80
  running.engine.start();
  gate.allow(45);
  ASSERT_TRUE(gate.wait_for_arrival(46));
  EXPECT_EQ(running.metrics().value("vllm:num_preemptions_total"), 1);
  auto drained = net::co_spawn(running.io, running.engine.drain(10s), net::use_future);
  gate.open();
  EXPECT_TRUE(drained.get());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(replies[static_cast<std::size_t>(i)].get().tokens, expected(running.setup.model, make_request(i, 4, 70)));
}

TEST(Stop, EndsWhatIsLeftAndSettlesLateReleases) {
  RunningEngine running({.model = {.n_vocab = 1000, .step_time = 1ms}});
  running.engine.start();
  const auto unread = running.submit(make_request(1, 4, 100));
  auto reply = running.ask(make_request(2, 4, 190));
  std::this_thread::sleep_for(10ms);
  running.engine.stop();
  EXPECT_EQ(reply.get().finish.error->code, Errc::kServerShutdown);
  running.engine.release(unread->id(), Outcome::kShutdown, 0);
  running.engine.stop();
  EXPECT_THAT(broken_laws(running.metrics(), LawsOf::kIdle), IsEmpty());
}

}  // namespace
}  // namespace mie::test
