// The side of the engine that other threads call; what happens on its own thread is in engine_loop and engine_core.
#include "core/engine/engine.h"

#include "core/base/ensure.h"
#include "core/engine/admission.h"
#include "core/engine/engine_loop.h"
#include "core/engine/engine_shared.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

namespace mie {

struct Engine::Inside {
  EngineShared shared;
  EngineLoop loop;
  std::uint64_t next_id = 1;  // under the metrics lock

  Inside(EngineOptions options, EngineParts parts, MetricsRegistry& registry)
      : shared(std::move(options), parts.clock, registry), loop(shared, parts) {}

  [[nodiscard]] bool stuck() const {
    const EngineLoad& load = shared.metrics.load();
    return load.n_waiting + load.n_running > 0 &&
           shared.clock.now() - shared.last_progress.load() > 2 * shared.options.step_limit;
  }

  [[nodiscard]] std::optional<Error> closed() const {
    if (shared.draining) return Error{Errc::kDraining, "the server is draining"};
    if (shared.failed) return Error{Errc::kUnhealthy, "the model has failed"};
    if (stuck()) return Error{Errc::kUnhealthy, "the model makes no progress"};
    return {};
  }

  [[nodiscard]] std::optional<Error> queue_full(std::int64_t n_choices, std::int64_t n_tokens) const {
    const EngineLoad& load = shared.metrics.load();
    if (load.n_waiting + n_choices > shared.options.max_queue ||
        load.waiting_tokens + n_tokens > shared.options.max_queue_tokens)
      return Error{Errc::kQueueFull, "too many requests are waiting"};
    return {};
  }
};

Engine::Engine(EngineOptions options, const Scheduler& scheduler, ModelRunner& runner, const Clock& clock,
               MetricsRegistry& metrics)
    : inside_(std::make_unique<Inside>(std::move(options), EngineParts{scheduler, runner, clock}, metrics)) {}

Engine::~Engine() { stop(); }

void Engine::start() { inside_->loop.start(); }

Result<std::vector<std::shared_ptr<TokenStream>>> Engine::submit(std::vector<Request> requests, net::any_io_executor executor) {
  ENSURE(!requests.empty(), "a submit has a request");
  EngineShared& shared = inside_->shared;
  const Clock::time_point now = shared.clock.now();
  if (auto error = inside_->closed()) return *std::move(error);
  std::int64_t n_tokens = 0;
  for (const Request& request : requests) {
    if (auto error = refusal(request, shared.options, now)) return *std::move(error);
    n_tokens += static_cast<std::int64_t>(request.prompt.size());
  }

  auto held = shared.metrics.lock();  // from here on limits, queue order and counters agree
  if (auto error = inside_->closed()) return *std::move(error);
  if (auto error = inside_->queue_full(std::ssize(requests), n_tokens)) return *std::move(error);
  std::vector<Submission> submissions;
  std::vector<std::shared_ptr<TokenStream>> streams;
  for (Request& request : requests) {
    request.id = RequestId(inside_->next_id++);
    request.arrival = std::min(request.arrival, now);
    streams.push_back(std::make_shared<TokenStream>(request.id, executor));
    submissions.push_back({std::make_shared<const Request>(std::move(request)), streams.back(), now});
  }
  const bool first_mail = shared.mailbox.submit(std::move(submissions));
  const EngineLoad& load = shared.metrics.load();
  if (load.n_waiting + load.n_running == 0) shared.last_progress = now;
  shared.metrics.accepted(static_cast<int>(streams.size()), n_tokens);
  held.unlock();
  if (first_mail) inside_->loop.wake();
  return streams;
}

void Engine::release(RequestId id, Outcome outcome, int n_delivered) noexcept {
  EngineShared& shared = inside_->shared;
  const Release release{.outcome = outcome, .n_delivered = n_delivered, .at = shared.clock.now()};
  if (shared.mailbox.release(id, release)) inside_->loop.wake();
}

void Engine::begin_drain() {
  {
    const auto held = inside_->shared.metrics.lock();
    inside_->shared.draining = true;
  }
  inside_->loop.wake();
}

net::awaitable<bool> Engine::drain(std::chrono::steady_clock::duration limit) {
  begin_drain();
  return inside_->loop.drained(limit);
}

void Engine::stop() {
  begin_drain();
  inside_->loop.stop();
}

EngineHealth Engine::health() const {
  const EngineShared& shared = inside_->shared;
  const EngineLoad& load = shared.metrics.load();
  EngineHealth health{.n_waiting = load.n_waiting,
                      .n_running = load.n_running,
                      .waiting_tokens = load.waiting_tokens,
                      .draining = shared.draining};
  if (inside_->stuck()) health.state = EngineHealth::State::kStuck;
  if (shared.failed) health.state = EngineHealth::State::kFailed;
  return health;
}

net::awaitable<EngineSnapshot> Engine::snapshot() {
  return inside_->loop.ask([](const EngineCore& core) { return core.snapshot(); });
}

net::awaitable<int> Engine::reset_prefix_cache() {
  return inside_->loop.ask([](EngineCore& core) { return core.flush_prefixes(); });
}

net::awaitable<StepTraceCopy> Engine::last_steps(int n) {
  return inside_->loop.ask([n](const EngineCore& core) { return core.trace().last(n); });
}

net::awaitable<StepTraceCopy> Engine::steps_since(TraceCursor cursor) {
  return inside_->loop.ask([cursor](const EngineCore& core) { return core.trace().since(cursor); });
}

void Engine::refresh_metrics() {
  EngineShared& shared = inside_->shared;
  const auto held = shared.metrics.lock();
  shared.metrics.last_step_age(shared.clock.now() - shared.last_progress.load());
}

const EngineOptions& Engine::options() const { return inside_->shared.options; }

EngineLoop& Engine::loop() { return inside_->loop; }

}  // namespace mie
