// From a model file to a ModelPlan: the table of families, and the checks that every family shares. Nothing is taken from
// a file's numbers before these checks have passed. Pure functions; any thread.
#pragma once

#include "core/base/error.h"
#include "models/model_spec.h"
#include "models/weights/gguf.h"

#include <span>
#include <string_view>
#include <vector>

namespace mie {

// One row of the table. `spec` reads hyper-parameters; `tensors` names what the forward pass will ask for.
struct Family {
  std::string_view hf_architecture;    // config.json, "architectures"
  std::string_view gguf_architecture;  // general.architecture
  Result<ModelSpec> (*spec)(const GgufFile&);
  std::vector<TensorSlot> (*tensors)(const ModelSpec&);
};
[[nodiscard]] std::span<const Family> families();

// kModelFormat, in one line that names it: an unknown architecture, a hyper-parameter out of range, a tensor missing,
// extra or of the wrong shape.
[[nodiscard]] Result<ModelPlan> plan_model(const GgufFile& file);

// The two shared checks, also used for other file kinds. `file_name` opens the message.
[[nodiscard]] Result<void> check_spec(const ModelSpec& spec, std::string_view file_name);
[[nodiscard]] Result<void> check_tensors(std::span<const TensorSlot> slots, const WeightSource& source,
                                         std::string_view file_name);

}  // namespace mie
