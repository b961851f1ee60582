#include "core/engine/token_stream.h"

#include "core/base/ensure.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <thread>

namespace mie::test {
namespace {

using namespace net::experimental::awaitable_operators;

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;  // about ten times slower
#else
constexpr bool kSanitized = false;
#endif

TokenBatch one_token(int value) {
  TokenBatch batch;
  batch.tokens.push_back({.token = TokenId(value), .logprob = 0, .top = {}});
  return batch;
}

TokenBatch last_batch() { return {.tokens = {}, .finish = Finish{.reason = FinishReason::kLength}}; }

class Io {
 public:
  explicit Io(int n_threads) {
    for (int i = 0; i < n_threads; ++i) threads_.emplace_back([this] { context.run(); });
  }
  ~Io() {
    work_.reset();
    for (auto& thread : threads_) thread.join();
  }

  net::io_context context;

 private:
  net::executor_work_guard<net::io_context::executor_type> work_ = net::make_work_guard(context);
  std::vector<std::thread> threads_;
};

net::awaitable<TokenBatch> next_of(std::shared_ptr<TokenStream> stream) { co_return co_await stream->next(); }

TokenBatch scored(std::initializer_list<int> values) {
  TokenBatch batch;
  for (const int value : values) batch.prompt.push_back({.token = TokenId(value), .logprob = -1, .top = {}});
  return batch;
}

TEST(TokenStream, WhatIsToldOfThePromptArrivesInOrderAndAlone) {
  net::io_context io;
  const auto stream = std::make_shared<TokenStream>(RequestId(1), net::make_strand(io));
  stream->push(scored({1, 2}));
  stream->push(scored({3}));
  auto early = net::co_spawn(stream->executor(), next_of(stream), net::use_future);
  io.run();
  const TokenBatch first = early.get();
  ASSERT_EQ(first.prompt.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(first.prompt[static_cast<std::size_t>(i)].token, TokenId(i + 1));
  EXPECT_TRUE(first.tokens.empty());
  EXPECT_FALSE(first.finish);

  stream->push(scored({4}));
  stream->push(one_token(5));
  stream->push(last_batch());
  auto late = net::co_spawn(stream->executor(), next_of(stream), net::use_future);
  io.restart();
  io.run();
  const TokenBatch rest = late.get();
  EXPECT_EQ(rest.prompt.size(), 1U);
  EXPECT_EQ(rest.tokens.size(), 1U);
  EXPECT_TRUE(rest.finish);
}

TEST(TokenStream, ASlowReaderGetsOneBigBatchInOrder) {
  net::io_context io;
  const auto stream = std::make_shared<TokenStream>(RequestId(1), net::make_strand(io));
  for (int i = 0; i < 10; ++i) stream->push(one_token(i));
  stream->push(last_batch());
  auto read = net::co_spawn(net::make_strand(io), next_of(stream), net::use_future);
  io.run();
  const TokenBatch batch = read.get();
  ASSERT_EQ(batch.tokens.size(), 10U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(batch.tokens[static_cast<std::size_t>(i)].token, TokenId(i));
  EXPECT_EQ(batch.finish->reason, FinishReason::kLength);
}

TEST(TokenStream, PushNeverResumesTheReaderInline) {
  net::io_context io;
  const auto stream = std::make_shared<TokenStream>(RequestId(1), io.get_executor());
  auto read = net::co_spawn(io, next_of(stream), net::use_future);
  io.poll();
  net::post(io, [&] {
    stream->push(one_token(1));
    EXPECT_EQ(read.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  });
  io.run();
  EXPECT_EQ(read.get().tokens.size(), 1U);
}

TEST(TokenStream, ReadingPastTheEndIsABug) {
  net::io_context io;
  const auto stream = std::make_shared<TokenStream>(RequestId(1), io.get_executor());
  stream->push(last_batch());
  auto first = net::co_spawn(io, next_of(stream), net::use_future);
  io.run();
  EXPECT_TRUE(first.get().finish);
  io.restart();
  auto second = net::co_spawn(io, next_of(stream), net::use_future);
  io.run();
  EXPECT_THROW(second.get(), InvariantError);
}

// Reads all tokens while something else wins the race again and again. Returns what it got; counts the lost races.
using Rival = net::awaitable<void> (*)(std::uint32_t);

net::awaitable<void> timer_rival(std::uint32_t random) {
  net::steady_timer timer(co_await net::this_coro::executor, std::chrono::microseconds(random % 100));
  co_await timer.async_wait(net::use_awaitable);
}

net::awaitable<void> post_rival(std::uint32_t random) {
  for (std::uint32_t i = random % 6; i > 0; --i) co_await net::post(net::use_awaitable);
}

struct Reading {
  std::vector<TokenId> tokens;
  int n_interrupted = 0;
};

// Which branch is listed first decides who starts, and so who can overtake whom.
net::awaitable<std::optional<TokenBatch>> race(std::shared_ptr<TokenStream> stream, Rival rival, std::uint32_t random) {
  if (random % 2 == 0) {
    auto first = co_await (stream->next() || rival(random / 2));
    if (auto* batch = std::get_if<0>(&first)) co_return std::move(*batch);
  } else {
    auto first = co_await (rival(random / 2) || stream->next());
    if (auto* batch = std::get_if<1>(&first)) co_return std::move(*batch);
  }
  co_return std::nullopt;
}

net::awaitable<Reading> read_against(std::shared_ptr<TokenStream> stream, Rival rival, std::uint32_t seed) {
  std::mt19937 random(seed);
  Reading reading;
  for (bool done = false; !done;) {
    const auto batch = co_await race(stream, rival, static_cast<std::uint32_t>(random()));
    if (!batch) {
      ++reading.n_interrupted;
      continue;
    }
    EXPECT_TRUE(!batch->tokens.empty() || batch->finish);
    for (const Sampled& sampled : batch->tokens) reading.tokens.push_back(sampled.token);
    done = batch->finish.has_value();
  }
  co_return reading;
}

void expect_all(const Reading& reading, int n_tokens) {
  ASSERT_EQ(reading.tokens.size(), static_cast<std::size_t>(n_tokens));
  for (int i = 0; i < n_tokens; ++i) ASSERT_EQ(reading.tokens[static_cast<std::size_t>(i)], TokenId(i));
}

net::awaitable<void> write_tokens(std::shared_ptr<TokenStream> stream, int n_tokens, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < n_tokens; ++i) {
    stream->push(one_token(i));
    for (std::uint32_t pause = random() % 6; pause > 0; --pause) co_await net::post(net::use_awaitable);
  }
  stream->push(last_batch());
}

// One thread: every interleaving of reader, rival and writer is decided by the seed.
TEST(TokenStream, LosesAndDoublesNothingWhenItsReaderIsInterrupted) {
  constexpr int kTokens = 1'000;
  int n_interrupted = 0;
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    net::io_context io;
    const auto stream = std::make_shared<TokenStream>(RequestId(1), io.get_executor());
    auto read = net::co_spawn(io, read_against(stream, post_rival, seed), net::use_future);
    auto written = net::co_spawn(io, write_tokens(stream, kTokens, seed), net::use_future);
    io.run();
    written.get();
    const Reading reading = read.get();
    expect_all(reading, kTokens);
    n_interrupted += reading.n_interrupted;
  }
  EXPECT_GT(n_interrupted, 2'000);
}

// Writer and reader on different threads, and timers that fire while a token is on its way.
TEST(TokenStream, LosesAndDoublesNothingBetweenThreads) {
  constexpr int kTokens = 5'000;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    Io io(2);
    const auto strand = net::make_strand(io.context);
    const auto stream = std::make_shared<TokenStream>(RequestId(1), strand);
    auto read = net::co_spawn(strand, read_against(stream, seed % 2 == 0 ? timer_rival : post_rival, seed), net::use_future);
    std::mt19937 random(seed);
    for (int i = 0; i < kTokens; ++i) {
      stream->push(one_token(i));
      if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 40));
    }
    stream->push(last_batch());
    expect_all(read.get(), kTokens);
  }
}

// Where this function's frame lies: deeper if the reader were resumed from inside another resumption.
[[gnu::noinline]] std::uintptr_t stack_depth() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

net::awaitable<std::uintptr_t> depth_over_ready_tokens(std::shared_ptr<TokenStream> stream, int n) {
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  for (int i = 0; i < n; ++i) {
    stream->push(one_token(i));  // delivered before next() looks
    const TokenBatch batch = co_await stream->next();
    EXPECT_EQ(batch.tokens.size(), 1U);
    lowest = std::min(lowest, stack_depth());
    highest = std::max(highest, stack_depth());
  }
  co_return highest - lowest;
}

TEST(TokenStream, StackDepthIsConstantOverAMillionReadyTokens) {
  net::io_context io;
  const auto stream = std::make_shared<TokenStream>(RequestId(1), io.get_executor());
  auto depth = net::co_spawn(io, depth_over_ready_tokens(stream, kSanitized ? 100'000 : 1'000'000), net::use_future);
  io.run();
  EXPECT_LT(depth.get(), 4096U);
}

TEST(TokenStream, OutlivesACallerThatDropsIt) {
  net::io_context io;
  auto stream = std::make_shared<TokenStream>(RequestId(1), io.get_executor());
  const std::weak_ptr<TokenStream> watch = stream;
  auto read = net::co_spawn(io, stream->next(), net::use_future);
  io.poll();
  stream->push(one_token(4));
  stream.reset();
  io.run();
  EXPECT_EQ(read.get().tokens.front().token, TokenId(4));
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace mie::test
