// The engine's thread and the coroutine on it: mail, drain, step, over and over. Holds the engine's one try block and decides
// what an exception means. A member of the engine; its private side runs on its own thread only.
#pragma once

#include "core/engine/async_event.h"
#include "core/engine/engine_core.h"
#include "core/engine/engine_shared.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

namespace mie {

class EngineLoop {
 public:
  EngineLoop(EngineShared& shared, EngineParts parts);

  void start();
  void stop();

  // There is mail. Any thread.
  void wake() noexcept;

  // What the thread does over and over: mail, drain, one step, and its one try block. The members of this group are public
  // for who moves the engine without a thread, turn by turn, as the simulator does. REQUIRES there: start() is not called.
  enum class Turn { kStepped, kIdle, kStuck };
  Turn turn();
  void expire_drain();  // as when the limit of drained() has passed
  [[nodiscard]] EngineCore& core() { return core_; }

  // Awaited on any executor; they run on the engine thread.
  net::awaitable<bool> drained(std::chrono::steady_clock::duration limit);
  // ask(): what `question` answers about, or does to, the core between two steps.
  template <class Question, class Answer = std::invoke_result_t<Question, EngineCore&>>
  net::awaitable<Answer> ask(Question question) {
    co_return co_await net::co_spawn(context_, answer<Answer>(&core_, std::move(question)), net::use_awaitable);
  }

 private:
  void thread_main();
  net::awaitable<void> run();
  Turn guarded_turn();
  Turn unguarded_turn();
  Turn step();
  void end_what_must_end();
  void fail(std::string_view kind, std::string_view what);
  void tell_fatal();
  void lost(std::exception_ptr error);
  net::awaitable<bool> wait_drained(std::chrono::steady_clock::duration limit);
  template <class Answer, class Question>
  static net::awaitable<Answer> answer(EngineCore* core, Question question) {
    co_return question(*core);
  }
  [[nodiscard]] bool quiet() const { return (core_.idle() && shared_.mailbox.empty()) || told_; }

  EngineShared& shared_;
  net::io_context context_{1};  // one thread runs it, so it is the strand
  AsyncEvent wake_;
  AsyncEvent quiet_;  // nothing is in the engine
  EngineCore core_;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  bool step_failed_ = false;    // its sequences end in the next turn
  bool drain_expired_ = false;  // whatever is here or comes ends
  bool stuck_logged_ = false;
  bool told_ = false;  // on_fatal has been called
  std::string fatal_reason_;
};

}  // namespace mie
