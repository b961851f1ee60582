// The methods of str, list, tuple and dict that a template may call, in tables written out. None of them changes its value.
// Any thread.
#pragma once

#include "core/text/jinja/objects.h"
#include "core/text/jinja/value.h"

#include <span>
#include <string_view>

namespace mie::jinja {

[[nodiscard]] const NamedFunction* find_method(const Value& value, std::string_view name);  // null if there is none
// A method of Python's that would change a list or dict: named so that its use gets the sandbox's error.
[[nodiscard]] bool is_mutator(const Value& value, std::string_view name);

[[nodiscard]] std::span<const NamedFunction> text_methods();

}  // namespace mie::jinja
