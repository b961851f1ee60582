#include "core/base/metrics.h"

#include <prometheus/text_serializer.h>

namespace mie {

std::string MetricsRegistry::scrape() {
  std::vector<prometheus::MetricFamily> collected;
  {
    const auto held = lock();
    collected = families_.Collect();
  }
  return prometheus::TextSerializer{}.Serialize(collected);
}

}  // namespace mie
