// Owes the engine one release for a request that it took: on any way out but a normal finish the request is released
// with the outcome set last, client gone at first. Owned by the request's handler. Move-only; not thread-safe.
#pragma once

#include "core/engine/engine.h"

#include <utility>

namespace mie {

class CancelGuard {
 public:
  CancelGuard() = default;  // owes nothing
  CancelGuard(Engine& engine, RequestId id) : engine_(&engine), id_(id) {}
  ~CancelGuard() { release(Outcome::kClientGone, 0); }
  CancelGuard(CancelGuard&& other) noexcept : engine_(std::exchange(other.engine_, nullptr)), id_(other.id_) {}
  CancelGuard& operator=(CancelGuard&& other) noexcept {
    release(Outcome::kClientGone, 0);
    engine_ = std::exchange(other.engine_, nullptr);
    id_ = other.id_;
    return *this;
  }

  // Idempotent: the first call counts.
  void release(Outcome outcome, int n_delivered) noexcept {
    if (Engine* engine = std::exchange(engine_, nullptr)) engine->release(id_, outcome, n_delivered);
  }

 private:
  Engine* engine_ = nullptr;
  RequestId id_{};
};

}  // namespace mie
