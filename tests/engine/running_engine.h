// An engine with its thread, a FakeRunner and an I/O context on threads of its own, as the server has it.
#pragma once

#include "core/engine/engine.h"
#include "core/sched/make_scheduler.h"
#include "models/fake_runner.h"
#include "tests/engine/requests.h"
#include "tests/fakes/metrics_text.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace mie::test {

struct EngineSetup {
  StepLimits limits{.max_seqs = 8, .max_tokens = 32, .max_prefill_chunk = 8};
  int n_blocks = 64;
  int block_size = 4;
  int max_queue = 512;
  std::int64_t max_queue_tokens = 1 << 20;
  std::chrono::milliseconds step_limit{15'000};
  SchedulerKind scheduler = SchedulerKind::kChunked;
  FakeOptions model{.n_vocab = 1000};
  std::function<void(const std::string&)> on_fatal{};
};

struct Reply {
  std::vector<TokenId> tokens;
  Finish finish;
  int n_batches = 0;
};

class RunningEngine {
 public:
  explicit RunningEngine(EngineSetup engine_setup = {}, const Clock& clock = system_clock());
  ~RunningEngine();

  // Submits one request; throws std::runtime_error with the message of a refusal.
  std::shared_ptr<TokenStream> submit(Request request);

  // Reads a stream to its end and releases it: complete, or error where it ended with one.
  std::future<Reply> read(std::shared_ptr<TokenStream> stream);

  // submit() and read() in one.
  std::future<Reply> ask(Request request) { return read(submit(std::move(request))); }

  template <class T>
  T wait(net::awaitable<T> work) {
    return net::co_spawn(io, std::move(work), net::use_future).get();
  }

  [[nodiscard]] MetricsText metrics() { return MetricsText(registry.scrape()); }

  // Waits until every request has been released and the engine has seen it; false after ten seconds.
  [[nodiscard]] bool settle();

  static const Clock& system_clock();

  EngineSetup setup;
  MetricsRegistry registry;
  FakeRunner runner;
  std::unique_ptr<Scheduler> scheduler;
  net::io_context io;
  Engine engine;

 private:
  net::awaitable<Reply> read_all(std::shared_ptr<TokenStream> stream);

  net::executor_work_guard<net::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

// Lets the model run step by step: each run() waits for an allowance.
class Gate {
 public:
  void allow(int n_steps);
  void open();  // for good
  void pass();  // in the model, before a step

  // Until the model has come to the gate `n` times in all; false after ten seconds.
  [[nodiscard]] bool wait_for_arrival(int n);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int n_allowed_ = 0, n_passed_ = 0, n_arrived_ = 0;
  bool open_ = false;
};

}  // namespace mie::test
