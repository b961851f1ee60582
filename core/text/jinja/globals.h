// What every template can call: range, dict, namespace, raise_exception, strftime_now. Used by the thread that renders.
#pragma once

#include "core/text/jinja/objects.h"

#include <span>
#include <string_view>

namespace mie::jinja {

[[nodiscard]] std::span<const NamedFunction> global_functions();

// Whether the template may give a namespace an attribute of that name; transformers refuses leading underscores.
Result<void> check_namespace_attribute(std::string_view name);

}  // namespace mie::jinja
