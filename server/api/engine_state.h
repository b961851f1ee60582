// Whether the engine can be asked about its state between two steps. Any thread.
#pragma once

#include "core/base/error.h"
#include "server/service.h"

#include <optional>

namespace mie::api {

// Why not; empty: it can. An engine that cannot get to the end of a step would keep the client waiting for an answer.
[[nodiscard]] std::optional<Error> unanswerable(const Service& service);

}  // namespace mie::api
