// What the two sides of the engine share: the callers on any thread (engine.cpp) and the loop (engine_loop). Owned by the
// engine; thread-safe as each member says.
#pragma once

#include "core/base/clock.h"
#include "core/engine/engine_metrics.h"
#include "core/engine/engine_options.h"
#include "core/engine/mailbox.h"

#include <atomic>
#include <utility>

namespace mie {

struct EngineShared {
  EngineShared(EngineOptions engine_options, const Clock& engine_clock, MetricsRegistry& registry)
      : options(std::move(engine_options)), clock(engine_clock), metrics(registry, options), last_progress(clock.now()) {}

  const EngineOptions options;
  const Clock& clock;
  EngineMetrics metrics;
  Mailbox mailbox;

  // Set for good under metrics.lock(), so that a submit which holds it either comes before or is refused.
  std::atomic<bool> draining{false};
  std::atomic<bool> failed{false};

  // When the last step ended, or when work came to an idle engine.
  std::atomic<Clock::time_point> last_progress;
  static_assert(std::atomic<Clock::time_point>::is_always_lock_free);
};

}  // namespace mie
