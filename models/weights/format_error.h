// Messages about model files: one line, whatever bytes the file holds. Pure functions; any thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mie {

// kModelFormat with "<file_name>: <what>".
[[nodiscard]] Error format_error(std::string_view file_name, std::string_view what);

// 'text' in single quotes, cut after 80 bytes; what is not printable ASCII, and quotes and backslashes, as \xNN.
[[nodiscard]] std::string quote(std::string_view text);

// "[49152, 576]"
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace mie
