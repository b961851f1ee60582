// The one registry of Prometheus series. Each part registers its own families (engine_metrics, http_metrics) and keeps
// references to them; series that must agree with each other are changed under one lock(), and a scrape takes the same
// lock, so every scrape sees whole groups. Owned by main; outlives everything that holds a series. Thread-safe.
#pragma once

#include <prometheus/registry.h>

#include <mutex>
#include <string>

namespace mie {

class MetricsRegistry {
 public:
  // Hold while changing series that belong together. Never held across a co_await or a model step.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  [[nodiscard]] prometheus::Registry& families() { return families_; }

  // Prometheus text exposition, version 0.0.4.
  [[nodiscard]] std::string scrape();

 private:
  std::mutex mutex_;
  prometheus::Registry families_{prometheus::Registry::InsertBehavior::Throw};
};

}  // namespace mie
