// The engine of a loaded model, as serve and generate both build it. The parts must outlive the engine, so they stand
// together in one owner.
#pragma once

#include "core/base/metrics.h"
#include "core/engine/engine.h"
#include "core/engine/engine_observer.h"
#include "core/sched/make_scheduler.h"
#include "server/config.h"
#include "server/model_loader.h"
#include "server/service.h"

#include <functional>
#include <memory>

namespace mie {

// REQUIRES: the configuration has been checked.
[[nodiscard]] EngineOptions engine_options(const Config& config, const LoadedModel& model);

// REQUIRES: nothing of it is used after its destruction; the registry, the clock and the observer, which may be null, outlive
// it.
class ServingModel {
 public:
  ServingModel(LoadedModel model, const Config& config, const Clock& clock, MetricsRegistry& registry,
               std::function<void(const std::string&)> on_fatal, EngineObserver* observer = nullptr);

  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] const api::ServedModel& model() const { return model_.served; }
  [[nodiscard]] const Loaded& loaded() const { return loaded_; }

 private:
  LoadedModel model_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<Engine> engine_;
  Loaded loaded_;
};

}  // namespace mie
