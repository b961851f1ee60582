// Tensor types as numbered in GGUF files. Pure functions; any thread.
#pragma once

#include "models/weights/quant_format.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mie {

// The format of a type number, none where this engine does not read it.
[[nodiscard]] std::optional<QuantFormat> format_of_ggml_type(std::uint32_t type);

// "Q5_K", or "number 77" where ggml gives it no name. For messages.
[[nodiscard]] std::string ggml_type_name(std::uint32_t type);

}  // namespace mie
