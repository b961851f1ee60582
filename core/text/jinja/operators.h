// Python's operators on values: arithmetic, comparison, containment, truth. Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/value.h"

#include <string>

namespace mie::jinja {

enum class Comparison { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

[[nodiscard]] bool truthy(const Value& value);
[[nodiscard]] std::string type_name(const Value& value);  // as Python's type(x).__name__
[[nodiscard]] std::string described(const Value& value);  // as jinja2 in messages: "dict object", "None"

Result<Value> apply(Runtime& runtime, Arithmetic operation, const Value& a, const Value& b);
Result<bool> equal(Runtime& runtime, const Value& a, const Value& b);
Result<bool> compare(Runtime& runtime, Comparison comparison, const Value& a, const Value& b);
Result<bool> contains(Runtime& runtime, const Value& container, const Value& item);

inline constexpr int kUnordered = 2;  // one of two numbers is NaN

// -1, 0 or 1 for a < b, a == b, a > b, or kUnordered. Error where Python cannot order the two; `symbol` is for its message.
Result<int> order(Runtime& runtime, const Value& a, const Value& b, std::string_view symbol = "<");

// Stable sort of `items` by `keys`, both permuted alike. Errors: keys that cannot be ordered; kTemplateLimit.
Result<std::vector<Value>> sorted(Runtime& runtime, const std::vector<Value>& items, const std::vector<Value>& keys,
                                  bool descending);

}  // namespace mie::jinja
