// What every handler can reach: the parts that main built, and the server's phase. Built by main, outlives every session.
// Thread-safe: the model and the engine appear once, when the load is done, and stay.
#pragma once

#include "core/base/clock.h"
#include "core/base/metrics.h"
#include "core/engine/engine.h"
#include "server/api/prepare.h"
#include "server/http_metrics.h"
#include "server/process_metrics.h"
#include "server/retry_estimate.h"
#include "server/server_options.h"
#include "server/task_group.h"

#include <boost/asio/thread_pool.hpp>

#include <atomic>

namespace mie {

enum class Phase { kLoading, kServing, kDraining };

// The loaded half of the service.
struct Loaded {
  const api::ServedModel* model = nullptr;
  Engine* engine = nullptr;
  api::ParamLimits limits;
};

class Service {
 public:
  Service(const ServerOptions& options, const Clock& clock, MetricsRegistry& registry)
      : options_(options), clock_(clock), registry_(registry), metrics_(registry), process_(registry, clock) {}

  [[nodiscard]] const ServerOptions& options() const { return options_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] MetricsRegistry& registry() { return registry_; }
  [[nodiscard]] HttpMetrics& metrics() { return metrics_; }
  [[nodiscard]] ProcessMetrics& process_metrics() { return process_; }
  [[nodiscard]] TaskGroup& tasks() { return tasks_; }
  [[nodiscard]] api::SeedSource& seeds() { return *seeds_; }
  [[nodiscard]] RetryEstimate& retry() { return retry_; }
  // Bodies too large to parse and tokenize on an I/O thread go here.
  [[nodiscard]] net::thread_pool& slow_lane() { return slow_lane_; }
  [[nodiscard]] std::atomic<std::size_t>& body_memory() { return body_memory_; }

  [[nodiscard]] Phase phase() const { return phase_.load(std::memory_order_acquire); }
  // REQUIRES: phase() has been seen to be past kLoading with a model, that is loaded() is not null.
  [[nodiscard]] const Loaded* loaded() const { return loaded_.load(std::memory_order_acquire); }

  // Before sessions run: the same seeds at each start.
  void use_seed(std::uint64_t base) { seeds_ = std::make_unique<api::SeedSource>(base); }

  // Takes work from now on, unless draining has begun. `loaded` outlives the sessions.
  void serve(const Loaded& loaded) {
    loaded_.store(&loaded, std::memory_order_release);
    Phase expected = Phase::kLoading;
    if (phase_.compare_exchange_strong(expected, Phase::kServing)) metrics_.ready(true);
  }
  void begin_drain() {
    phase_.store(Phase::kDraining, std::memory_order_release);
    metrics_.ready(false);
  }

 private:
  const ServerOptions& options_;
  const Clock& clock_;
  MetricsRegistry& registry_;
  HttpMetrics metrics_;
  ProcessMetrics process_;
  TaskGroup tasks_;
  std::unique_ptr<api::SeedSource> seeds_ = std::make_unique<api::SeedSource>();
  RetryEstimate retry_;
  std::atomic<std::size_t> body_memory_{0};
  std::atomic<Phase> phase_{Phase::kLoading};
  std::atomic<const Loaded*> loaded_{nullptr};
  net::thread_pool slow_lane_{1};
};

}  // namespace mie
