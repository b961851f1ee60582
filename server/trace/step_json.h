// The step trace as JSON: the members of a step and of a request's event, the same in GET /debug/steps and in the file of
// --step-trace. Stamps are nanoseconds of the monotonic clock. Pure functions.
#pragma once

#include "core/engine/step_trace.h"
#include "server/json/response_write.h"

#include <span>
#include <string_view>

namespace mie {

// One object each.
void write_step(json::JsonWriter& out, const TracedStep& step, std::span<const TracedRow> rows);
void write_event(json::JsonWriter& out, const RequestEvent& event);

[[nodiscard]] std::string_view finish_word(FinishReason reason);  // "stop", "length", …

}  // namespace mie
