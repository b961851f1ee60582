// How Python writes values: str() for output and repr() inside containers. Input text stays marked, its escapes included.
// Used by the thread that renders; the functions without a Runtime by any.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/value.h"

#include <string>
#include <string_view>

namespace mie::jinja {

// Errors: kTemplateLimit, where a value that is small in memory is large when written out.
Result<MarkedString> to_text(Runtime& runtime, const Value& value);
Result<MarkedString> repr(Runtime& runtime, const Value& value);

[[nodiscard]] std::string repr_of_text(std::string_view text);  // 'it\'s'
[[nodiscard]] std::string repr_of_real(double value);           // shortest that reads back: 0.1, 1e+16, nan

}  // namespace mie::jinja
