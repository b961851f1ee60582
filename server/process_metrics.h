// The process_* series, read from /proc at each scrape. Owned by the service; refresh() from any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <mutex>

namespace mie {

class ProcessMetrics {
 public:
  ProcessMetrics(MetricsRegistry& registry, const Clock& clock);

  void refresh();

 private:
  std::mutex mutex_;
  prometheus::Counter& cpu_seconds_;
  prometheus::Gauge& resident_bytes_;
  prometheus::Gauge& open_fds_;
};

}  // namespace mie
