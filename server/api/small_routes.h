// Routes that answer from what is known: models, health, readiness, version, metrics. Any thread; one model's facts may take
// as long as reading its file, so they are asked for on the slow lane.
#pragma once

#include "server/exchange.h"
#include "server/router.h"
#include "server/service.h"

namespace mie::api {

// REQUIRES: a route that is not a generation route.
Result<Answer> small_route_answer(Service& service, const RouteMatch& match);

[[nodiscard]] std::string method_not_allowed_body();

}  // namespace mie::api
