// Reaching into values: attributes, items, slices, iteration, length. Only data and the methods listed in methods.h can be
// reached; there is no way from here to anything of the host. Used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/value.h"

#include <string_view>
#include <vector>

namespace mie::jinja {

// x.name: a method or attribute, then an item. Undefined if there is none; error on an undefined x or a Python internal.
Result<Value> get_attribute(Runtime& runtime, const Value& value, std::string_view name);
// x[key]: an item, then (for a string) an attribute. Undefined if there is none; error on an undefined x.
Result<Value> get_item(Runtime& runtime, const Value& value, const Value& key);

// What filters call an attribute: "a.b.0" is x["a"]["b"][0]; an integer is one item; None is x itself. Where a step finds
// nothing, `otherwise` stands in if it is given.
Result<Value> get_path(Runtime& runtime, const Value& value, const Value& path, const Value* otherwise = nullptr);

// Bounds of x[start:stop:step]; none where left out.
struct SliceBounds {
  Value start, stop, step;
};
Result<Value> get_slice(Runtime& runtime, const Value& value, const SliceBounds& bounds);

[[nodiscard]] bool is_iterable(const Value& value);
// What a for loop visits: characters of a string, keys of a dict. Error if the value is not iterable.
Result<std::vector<Value>> items_of(Runtime& runtime, const Value& value);

[[nodiscard]] std::optional<std::size_t> length_of(const Value& value);  // nothing: it has no len()

}  // namespace mie::jinja
