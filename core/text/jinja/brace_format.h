// Python's "{} is {name}".format(...): fields by order, position and name, !s and !r; no format after a colon.
// Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/object.h"
#include "core/text/jinja/runtime.h"

namespace mie::jinja {

// Errors: a field that no argument answers, attribute and item paths, a format after a colon.
Result<MarkedString> brace_format(Runtime& runtime, const MarkedString& format, const Arguments& arguments);

}  // namespace mie::jinja
