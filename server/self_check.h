// What must work before a model is served: the tokenizer gives back what it was given, and one step gives a token with a
// finite log-probability. On the loading thread, before the engine has the runner.
#pragma once

#include "server/model_loader.h"

#include <optional>

namespace mie {

// Error kModelFormat saying which of the two failed.
[[nodiscard]] std::optional<Error> self_check(LoadedModel& model, const Clock& clock);

}  // namespace mie
