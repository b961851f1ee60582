// What must work before a model is served: the tokenizer gives back what it was given, and steps of one and of many rows
// give a token with a finite log-probability. Their times are logged, and start the engine's step budget. On the loading
// thread, before the engine has the runner.
#pragma once

#include "server/model_loader.h"

#include <optional>

namespace mie {

// Sets model.row_time. Error kModelFormat saying which of the two failed.
[[nodiscard]] std::optional<Error> self_check(LoadedModel& model, const Config& config, const Clock& clock);

}  // namespace mie
