#include "server/api/engine_state.h"

namespace mie::api {

std::optional<Error> unanswerable(const Service& service) {
  const Loaded* loaded = service.loaded();
  if (loaded == nullptr) return Error{Errc::kLoading, "the model is being loaded", ""};
  if (loaded->engine->health().state == EngineHealth::State::kOk) return {};
  return Error{Errc::kUnhealthy, "the engine makes no progress", ""};
}

}  // namespace mie::api
