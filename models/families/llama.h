// The Llama family: RMS norm before each part, rotary positions on whole heads, grouped-query attention, SiLU-gated
// feed-forward, no biases. Pure functions; any thread.
#pragma once

#include "core/base/error.h"
#include "models/model_spec.h"
#include "models/weights/gguf.h"

#include <vector>

namespace mie {

// kModelFormat when a hyper-parameter is absent, of the wrong type or asks for what the forward pass does not do.
// Ranges are checked by check_spec.
[[nodiscard]] Result<ModelSpec> llama_spec(const GgufFile& file);

// REQUIRES: a spec that passed check_spec.
[[nodiscard]] std::vector<TensorSlot> llama_tensors(const ModelSpec& spec);

}  // namespace mie
