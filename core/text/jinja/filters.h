// The filters, in tables written out: what stands behind "|" in a template. A filter gets the value on its left as `self`.
// The tables may be read from any thread; the filters run on the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/objects.h"
#include "core/text/jinja/value.h"

#include <span>
#include <string_view>

namespace mie::jinja {

[[nodiscard]] const NamedFunction* find_filter(std::string_view name);  // null if there is none

// Error if there is no such filter.
Result<Value> apply_filter(Runtime& runtime, std::string_view name, const Value& value, const Arguments& arguments);

[[nodiscard]] std::span<const NamedFunction> scalar_filters();    // numbers, default, tojson
[[nodiscard]] std::span<const NamedFunction> text_filters();      // text in, text out
[[nodiscard]] std::span<const NamedFunction> sequence_filters();  // order, ends, sums of sequences
[[nodiscard]] std::span<const NamedFunction> choosing_filters();  // map, select and their kin

}  // namespace mie::jinja
