// Python's "%s is %d" % values. Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/value.h"

namespace mie::jinja {

// `values`: a tuple, one value, or a dict for %(name)s. Conversions: s r d i u f F e E g G x X o %, with flags, width and
// precision. Errors: another conversion, values that do not fit it or are too few or too many.
Result<MarkedString> printf_format(Runtime& runtime, const MarkedString& format, const Value& values);

}  // namespace mie::jinja
