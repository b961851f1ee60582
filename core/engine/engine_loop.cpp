#include "core/engine/engine_loop.h"

#include "core/base/ensure.h"
#include "core/base/log.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <pthread.h>

#include <algorithm>
#include <new>

namespace mie {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kIdleLook = 1s;      // an idle engine looks at its mail so often even if a wake-up was lost for want of memory
constexpr auto kStuckPause = 10ms;  // between two turns that did not get on
constexpr auto kLongestDrain = 24h;
constexpr std::size_t kLongestReason = 4096;

}  // namespace

EngineLoop::EngineLoop(EngineShared& shared, EngineParts parts)
    : shared_(shared),
      wake_(context_.get_executor()),
      quiet_(context_.get_executor()),
      core_(shared.options, parts, shared.metrics) {
  fatal_reason_.reserve(kLongestReason);
}

void EngineLoop::start() {
  ENSURE(!thread_.joinable() && !stopping_, "the engine is started once");
  net::co_spawn(context_, run(), [this](std::exception_ptr error) { lost(error); });
  thread_ = std::thread([this] { thread_main(); });
}

void EngineLoop::stop() {
  stopping_ = true;
  if (thread_.joinable()) {
    wake();
    thread_.join();
  }
  if (!shared_.failed) core_.take(shared_.mailbox.take());  // releases that came after the last turn
}

void EngineLoop::wake() noexcept {
  try {
    net::post(context_, [this] { wake_.notify(); });
  } catch (const std::bad_alloc&) {  // kIdleLook
  }
}

void EngineLoop::thread_main() {
  pthread_setname_np(pthread_self(), "mie-engine");
  context_.run();
}

net::awaitable<void> EngineLoop::run() {
  const auto& options = shared_.options;
  logger("engine")->info("started blocks={} block_size={} max_seqs={} max_tokens={}", options.n_blocks, options.block_size,
                         options.limits.max_seqs, options.limits.max_tokens);
  for (;;) {
    const Turn result = turn();
    if (quiet()) quiet_.notify();
    if (stopping_ && (core_.idle() || told_)) break;
    switch (result) {
      case Turn::kStepped:
        co_await net::post(context_, net::use_awaitable);
        break;
      case Turn::kIdle:
        co_await wake_.wait_for(kIdleLook);
        break;
      case Turn::kStuck:
        co_await wake_.wait_for(kStuckPause);
        break;
    }
  }
  logger("engine")->info("stopped");
}

// Who asks for the health learns of a failure before on_fatal does, and every request has ended in between.
EngineLoop::Turn EngineLoop::turn() {
  const bool was_failed = shared_.failed;
  const Turn result = guarded_turn();
  if (was_failed) tell_fatal();
  return result;
}

// There are two kinds of failure. A step that threw before its commit changed nothing: its sequences end, the others go on.
// A lost device, a broken invariant, or a throw in the middle of a change is the end of the engine.
EngineLoop::Turn EngineLoop::guarded_turn() {
  try {
    return unguarded_turn();
  } catch (const DeviceFailure& error) {
    fail("device failed: ", error.what());
  } catch (const InvariantError& error) {
    fail("invariant broken: ", error.what());
  } catch (const std::exception& error) {
    if (core_.torn()) {
      fail("state lost: ", error.what());
    } else {
      step_failed_ = true;
      logger("engine")->warn("step failed: {}", error.what());
    }
  }
  shared_.last_progress = shared_.clock.now();
  return shared_.failed ? Turn::kStuck : Turn::kStepped;
}

EngineLoop::Turn EngineLoop::unguarded_turn() {
  // Before the mail: a release in it takes the request of a failed step away.
  if (std::exchange(step_failed_, false) && core_.end_failed_step() == EngineCore::Progress::kNone) return Turn::kStuck;
  core_.take(shared_.mailbox.take());
  end_what_must_end();
  core_.reap();
  if (!core_.idle()) return step();
  core_.check_invariants();
  return Turn::kIdle;
}

EngineLoop::Turn EngineLoop::step() {
  if (core_.step() == EngineCore::Progress::kNone) {
    const auto held = shared_.metrics.lock();
    shared_.metrics.step_without_progress();
    if (!std::exchange(stuck_logged_, true)) logger("engine")->error("there is work and the scheduler plans nothing");
    return Turn::kStuck;
  }
  stuck_logged_ = false;
  shared_.last_progress = shared_.clock.now();
  if (shared_.options.paranoid) core_.check_invariants();
  return Turn::kStepped;
}

void EngineLoop::end_what_must_end() {
  if (shared_.failed) {
    core_.end_all(FinishReason::kError, {Errc::kUnhealthy, "the model has failed"});
  } else if (drain_expired_ || stopping_) {
    core_.end_all(FinishReason::kCancelled, {Errc::kServerShutdown, "the server is shutting down"});
  } else if (shared_.draining) {
    core_.end_unstarted({Errc::kDraining, "the server is draining"});
  }
}

// Needs no memory: the want of it may be why.
void EngineLoop::fail(std::string_view kind, std::string_view what) {
  if (shared_.failed) return;  // the first reason is the one that counts
  {
    const auto held = shared_.metrics.lock();
    shared_.failed = true;
  }
  fatal_reason_.assign(kind).append(what.substr(0, kLongestReason - kind.size()));
  logger("engine")->critical("unhealthy: {}{}", kind, what);
}

void EngineLoop::tell_fatal() {
  if (std::exchange(told_, true)) return;
  if (shared_.options.on_fatal) shared_.options.on_fatal(fatal_reason_);
}

// The coroutine ended: as it should, or because it could not be resumed for want of memory.
void EngineLoop::lost(std::exception_ptr error) {
  if (!error) return;
  fail("the engine's loop is lost", "");
  tell_fatal();
}

net::awaitable<bool> EngineLoop::drained(steady_clock::duration limit) {
  co_return co_await net::co_spawn(context_, wait_drained(limit), net::use_awaitable);
}

net::awaitable<bool> EngineLoop::wait_drained(steady_clock::duration limit) {
  using namespace net::experimental::awaitable_operators;
  net::steady_timer timer(context_, std::min<steady_clock::duration>(limit, kLongestDrain));
  bool in_time = true;
  while (!quiet()) {
    if (!in_time) {
      co_await quiet_.wait();
      continue;
    }
    const auto first = co_await (quiet_.wait() || timer.async_wait(net::use_awaitable));
    if (first.index() == 1 && !quiet()) {
      in_time = false;
      expire_drain();
    }
  }
  co_return in_time;
}

void EngineLoop::expire_drain() {
  drain_expired_ = true;
  wake_.notify();
}

}  // namespace mie
