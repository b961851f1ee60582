// The engine: one coroutine on one thread of its own. Each step plans, reserves, runs, commits and wakes the requests that
// got a token; between steps it yields and looks at its mail, so submits and releases never meet a step. Its state has no
// mutex; a mailbox and the metrics lock stand between it and the other threads.
// Built by main, which also owns the parts it refers to and the contexts of the streams' executors; they outlive it.
// The public members may be called from any thread.
//
// The contract of a request:  submit() → streams → next() … until `finish` or the connection has had enough → release(), once
// for every stream, also after an error. Until its release a request counts in mie_tokens_pending; release everything before
// stop(), or the counters do not settle.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/metrics.h"
#include "core/engine/engine_options.h"
#include "core/engine/snapshot.h"
#include "core/engine/step_trace.h"
#include "core/engine/token_stream.h"
#include "core/request.h"
#include "core/sched/scheduler.h"
#include "models/model_runner.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace mie {

class EngineLoop;

class Engine {
 public:
  Engine(EngineOptions options, const Scheduler& scheduler, ModelRunner& runner, const Clock& clock, MetricsRegistry& metrics);
  ~Engine();  // stops it if that was not done
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Starts the engine thread and the run loop. Once.
  void start();

  // Takes all requests into the waiting queue or none. Never blocks. Streams come back in the order of `requests`; their
  // next() must be awaited on `executor`. Each stream taken is owed exactly one release().
  // Errors: kQueueFull, kDraining, kUnhealthy, kContextLengthExceeded (can never fit the pool), kDeadlineExceeded.
  Result<std::vector<std::shared_ptr<TokenStream>>> submit(std::vector<Request> requests, net::any_io_executor executor);

  // The connection is done with a request; the one way out, normal or not. Idempotent, needs no memory, never blocks.
  // A request still in the engine leaves the batch within one step and its blocks are free: kComplete then means that a stop
  // string was found (counted as finished by `stop`), every other outcome counts as abort, and a
  // next() that still waits ends with kCancelled and kRequestAborted.
  // `n_delivered`: sampled tokens counted in the usage of a complete answer; ignored for the other outcomes.
  void release(RequestId id, Outcome outcome, int n_delivered) noexcept;

  // Stops taking requests (submit: kDraining) and ends with kDraining those that never ran; the others go on. Idempotent.
  void begin_drain();

  // Waits until no request is in the engine, at most `limit`; then ends what is left with kServerShutdown, which takes at
  // most the step that is running. True: everything ended by itself. Awaitable on any executor. Calls begin_drain() itself.
  // REQUIRES: started and not stopped.
  net::awaitable<bool> drain(std::chrono::steady_clock::duration limit);

  // Ends the loop and joins the thread; whatever is left ends with kServerShutdown. Idempotent. Not on the engine thread.
  void stop();

  [[nodiscard]] EngineHealth health() const;

  // The live state between two steps. REQUIRES: started and not stopped.
  net::awaitable<EngineSnapshot> snapshot();

  // Drops every cached KV block that no request holds, between two steps. Returns how many. REQUIRES: as snapshot().
  net::awaitable<int> reset_prefix_cache();

  // What the last `n` steps did, as many as the trace remembers; and everything since a reader's last look. As above.
  net::awaitable<StepTraceCopy> last_steps(int n);
  net::awaitable<StepTraceCopy> steps_since(TraceCursor cursor);

  // Brings the series up to date that time alone changes (mie_last_step_age_seconds). Call before a scrape.
  void refresh_metrics();

  [[nodiscard]] const EngineOptions& options() const;

  // For who moves the engine turn by turn instead of starting its thread (tests/sim).
  [[nodiscard]] EngineLoop& loop();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace mie
