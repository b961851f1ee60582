// The tests, in a table written out: what stands behind "is" in a template. The table may be read from any thread; the tests
// run on the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/objects.h"
#include "core/text/jinja/value.h"

#include <string_view>

namespace mie::jinja {

[[nodiscard]] const NamedFunction* find_test(std::string_view name);  // null if there is none

// Error if there is no such test.
Result<bool> run_test(Runtime& runtime, std::string_view name, const Value& value, const Arguments& arguments);

}  // namespace mie::jinja
