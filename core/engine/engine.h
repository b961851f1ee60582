// The engine: one coroutine on one strand of a one-thread pool. Each step plans, reserves, runs, commits and wakes the
// requests that got a token; between steps it yields, so submits and releases run there too. No mutex in it.
// Built by main, which also owns the parts it refers to; they outlive it. The public members may be called from any
// thread; everything private is the engine strand's unless marked atomic.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/metrics.h"
#include "core/engine/token_stream.h"
#include "core/request.h"
#include "core/sched/scheduler.h"
#include "models/model_runner.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mie {

struct EngineOptions {
  StepLimits limits;
  int n_blocks = 0;
  int block_size = 0;                        // tokens; max_model_len for the contiguous baseline
  int max_model_len = 0;                     // prompt + output tokens of one request
  int max_queue = 512;                       // waiting choices
  std::int64_t max_queue_tokens = 1 << 20;   // waiting prompt tokens
  std::chrono::milliseconds step_limit{15'000};  // no step finished for twice this while work is pending: stuck
  bool paranoid = false;                     // run every invariant check after each step, not only when idle
  std::string model_name = "mie";            // label of the vllm: series
};

// How a request ended, as the connection saw it: the label of mie_requests_ended_total and mie_tokens_discarded_total.
enum class Outcome { kComplete, kError, kClientGone, kAborted, kDeadline, kSlowReader, kShutdown };

// What /health, /ready and the admission checks read. A copy of atomics.
struct EngineHealth {
  enum class State { kOk, kStuck, kFailed } state = State::kOk;
  int n_waiting = 0, n_running = 0;
  std::int64_t waiting_tokens = 0;
  bool draining = false;
};

class Engine {
 public:
  Engine(EngineOptions options, const Scheduler& scheduler, ModelRunner& runner, const Clock& clock, MetricsRegistry& metrics);
  ~Engine();  // REQUIRES: stopped, or never started

  // Starts the engine thread and the run loop. Once.
  void start();

  // Takes all requests into the waiting queue or none. Never blocks. Streams come back in the order of `requests`; their
  // next() must be awaited on `executor`. Each stream taken is owed exactly one release().
  // Errors: kQueueFull, kDraining, kUnhealthy, kContextLengthExceeded (can never fit the pool), kDeadlineExceeded.
  Result<std::vector<std::shared_ptr<TokenStream>>> submit(std::vector<Request> requests, net::any_io_executor executor);

  // The connection is done with a request; the one way out, normal or not. Idempotent, noexcept, never blocks.
  // A request still in the engine leaves the batch within one step and its blocks are free: kComplete then means that a stop
  // string was found (counted as finished by `stop`), every other outcome counts as abort.
  // `n_delivered`: sampled tokens counted in the usage of a complete answer; ignored for the other outcomes.
  void release(RequestId id, Outcome outcome, int n_delivered) noexcept;

  // Stops taking requests (submit: kDraining) and ends waiting ones with kDraining; running ones go on. Idempotent.
  void begin_drain();

  // Waits until nothing is live, at most `limit`; then ends what is left with kServerShutdown and waits for it.
  // True: everything ended by itself. Awaitable on any executor. Calls begin_drain() itself.
  net::awaitable<bool> drain(std::chrono::steady_clock::duration limit);

  // After drain (or when nothing was submitted): ends the loop and joins the thread.
  void stop();

  [[nodiscard]] EngineHealth health() const;

  [[nodiscard]] const EngineOptions& options() const;

 private:
  struct Core;  // strand-side state and the loop itself, in engine_core.h
  std::unique_ptr<Core> core_;
};

}  // namespace mie
