#include "core/text/jinja/access.h"

#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/objects.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/string_ops.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/unicode.h"

#include <algorithm>
#include <limits>

namespace mie::jinja {
namespace {

Value no_attribute(const Value& value, std::string_view name) {
  return Value::undefined("'" + described(value) + "' has no attribute " + quoted(name));
}

std::string unsafe(const Value& value, std::string_view name) {
  return "access to attribute " + quoted(name) + " of '" + type_name(value) + "' object is unsafe.";
}

bool is_internal(std::string_view name) { return name.starts_with("__") && name.ends_with("__"); }

// Methods and attributes proper, without items. Nothing if there is none.
Result<std::optional<Value>> own_attribute(Runtime& runtime, const Value& value, std::string_view name) {
  if (value.is(Kind::kObject)) return value.as_object().attribute(runtime, name);
  if (is_mutator(value, name)) return std::optional<Value>(Value::undefined(unsafe(value, name)));
  const NamedFunction* method = find_method(value, name);
  if (method == nullptr) return std::optional<Value>();
  return std::optional<Value>(Value::object(runtime.make<Function>(method->name, value, method->body)));
}

// Position of a possibly negative index. REQUIRES: n_items fits an int64.
std::optional<std::size_t> position(std::int64_t index, std::size_t n_items) {
  const auto n = static_cast<std::int64_t>(n_items);
  if (index < -n || index >= n) return std::nullopt;
  return static_cast<std::size_t>(index < 0 ? index + n : index);
}

Result<std::optional<Value>> item_at(Runtime& runtime, const Value& value, std::int64_t index) {
  if (value.is(Kind::kString)) {
    const MarkedString& text = value.as_string();
    MIE_CHECK(runtime.scan(text.size()));
    const auto at = position(index, n_characters(text.text()));
    if (!at) return std::optional<Value>();
    const std::size_t begin = byte_of_character(text.text(), *at);
    return std::optional<Value>(Value::string(text.slice(begin, next_character(text.text(), begin))));
  }
  if (value.is_sequence()) {
    const auto at = position(index, value.as_items().size());
    return at ? std::optional<Value>(value.as_items()[*at]) : std::nullopt;
  }
  if (!value.is(Kind::kObject) || !value.as_object().indexable()) return std::optional<Value>();
  MIE_TRY(const std::vector<Value> items, value.as_object().items(runtime));
  const auto at = position(index, items.size());
  return at ? std::optional<Value>(items[*at]) : std::nullopt;
}

Result<std::optional<Value>> own_item(Runtime& runtime, const Value& value, const Value& key) {
  if (value.is(Kind::kDict)) {
    const Value* found = value.as_dict().find(key);
    return found == nullptr ? std::nullopt : std::optional<Value>(*found);
  }
  if (const auto index = integral(key)) return item_at(runtime, value, *index);
  return std::optional<Value>();
}

// Python's PySlice_AdjustIndices over n items.
struct SliceRange {
  std::int64_t start, stop, step;
};

Result<std::int64_t> bound(const Value& given, std::int64_t otherwise) {
  if (given.is(Kind::kNone)) return otherwise;
  if (const auto value = integral(given)) return *value;
  return failure("slice indices must be integers or None or have an __index__ method");
}

Result<SliceRange> adjust(const SliceBounds& bounds, std::size_t n_items) {
  const auto n = static_cast<std::int64_t>(n_items);
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  MIE_TRY(const std::int64_t step, bound(bounds.step, 1));
  if (step == 0) return failure("slice step cannot be zero");
  const bool forward = step > 0;
  MIE_TRY(std::int64_t start, bound(bounds.start, forward ? 0 : kFar));
  MIE_TRY(std::int64_t stop, bound(bounds.stop, forward ? kFar : -kFar));
  const auto clamp = [n, forward](std::int64_t at) {
    if (at < 0) at = at < -n ? -1 : at + n;
    if (forward) return std::clamp<std::int64_t>(at, 0, n);
    return std::clamp<std::int64_t>(at, -1, n - 1);
  };
  return SliceRange{clamp(start), clamp(stop), std::clamp<std::int64_t>(step, -kFar, kFar)};
}

// Calls visit(position) for each selected position.
template <class Visit>
void for_each_position(const SliceRange& range, Visit visit) {
  for (std::int64_t at = range.start; range.step > 0 ? at < range.stop : at > range.stop;) {
    visit(static_cast<std::size_t>(at));
    if (__builtin_add_overflow(at, range.step, &at)) return;
  }
}

Result<Value> slice_text(Runtime& runtime, const MarkedString& text, const SliceBounds& bounds) {
  MIE_CHECK(runtime.text(text.size()));
  MIE_TRY(const SliceRange range, adjust(bounds, n_characters(text.text())));
  if (range.step == 1) {
    const std::size_t begin = byte_of_character(text.text(), static_cast<std::size_t>(range.start));
    const std::size_t end = byte_of_character(text.text(), static_cast<std::size_t>(range.stop));
    return Value::string(text.slice(begin, std::max(begin, end)));
  }
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); at = next_character(text.text(), at)) starts.push_back(at);
  MIE_CHECK(runtime.step(starts.size()));
  MarkedString picked;
  for_each_position(range, [&](std::size_t at) { picked.append(text, starts[at], next_character(text.text(), starts[at])); });
  return Value::string(std::move(picked));
}

}  // namespace

Result<Value> get_attribute(Runtime& runtime, const Value& value, std::string_view name) {
  if (value.is(Kind::kUndefined)) return failure(value.explanation());
  MIE_TRY(std::optional<Value> own, own_attribute(runtime, value, name));
  if (own) return *std::move(own);
  if (value.is(Kind::kDict))
    if (const Value* found = value.as_dict().find(name)) return *found;
  if (is_internal(name)) return failure(unsafe(value, name));
  return no_attribute(value, name);
}

Result<Value> get_item(Runtime& runtime, const Value& value, const Value& key) {
  if (value.is(Kind::kUndefined)) return failure(value.explanation());
  MIE_TRY(std::optional<Value> item, own_item(runtime, value, key));
  if (item) return *std::move(item);
  if (key.is(Kind::kString)) {
    const std::string& name = key.as_string().text();
    MIE_TRY(std::optional<Value> own, own_attribute(runtime, value, name));
    if (own) return *std::move(own);
    if (is_internal(name)) return failure(unsafe(value, name));
    return no_attribute(value, name);
  }
  MIE_TRY(const MarkedString shown, repr(runtime, key));
  const std::string& text = shown.text();
  return Value::undefined(described(value) + " has no element " +
                          text.substr(0, byte_of_character(text, kMostQuotedCharacters)));
}

Result<Value> get_path(Runtime& runtime, const Value& value, const Value& path, const Value* otherwise) {
  if (path.is(Kind::kNone)) return value;
  std::vector<Value> keys{path};
  if (path.is(Kind::kString)) {
    keys.clear();
    for (const MarkedString& part : split(path.as_string(), ".", -1)) {
      const bool digits = !part.empty() && part.text().find_first_not_of("0123456789") == std::string::npos;
      const auto index = digits ? parse_integer(part.text(), 10) : std::nullopt;
      keys.push_back(index ? Value::integer(*index) : Value::string(part));
    }
  }
  Value at = value;
  for (const Value& key : keys) {
    MIE_TRY(at, get_item(runtime, at, key));
    if (otherwise != nullptr && at.is(Kind::kUndefined)) at = *otherwise;
  }
  return at;
}

Result<Value> get_slice(Runtime& runtime, const Value& value, const SliceBounds& bounds) {
  if (value.is(Kind::kUndefined)) return failure(value.explanation());
  if (value.is(Kind::kString)) return slice_text(runtime, value.as_string(), bounds);
  if (value.is(Kind::kDict)) return failure("unhashable type: 'slice'");
  const bool sliceable = value.is_sequence() || (value.is(Kind::kObject) && value.as_object().indexable());
  if (!sliceable) return failure("'" + type_name(value) + "' object is not subscriptable");
  MIE_TRY(const std::vector<Value> items, items_of(runtime, value));
  MIE_TRY(const SliceRange range, adjust(bounds, items.size()));
  std::vector<Value> picked;
  for_each_position(range, [&](std::size_t at) { picked.push_back(items[at]); });
  return value.is(Kind::kTuple) ? Value::tuple(std::move(picked)) : Value::list(std::move(picked));
}

bool is_iterable(const Value& value) {
  switch (value.kind()) {
    case Kind::kNone:
    case Kind::kBoolean:
    case Kind::kInteger:
    case Kind::kReal:
      return false;
    case Kind::kObject:
      return value.as_object().iterable();
    default:
      return true;
  }
}

Result<std::vector<Value>> items_of(Runtime& runtime, const Value& value) {
  if (!is_iterable(value)) return failure("'" + type_name(value) + "' object is not iterable");
  std::vector<Value> items;
  if (value.is(Kind::kObject)) return value.as_object().items(runtime);
  if (const auto length = length_of(value)) MIE_CHECK(runtime.step(*length));
  if (value.is_sequence()) return value.as_items();
  if (value.is(Kind::kDict)) {
    items.reserve(value.as_dict().size());
    for (const auto& entry : value.as_dict().entries()) items.push_back(entry.first);
  } else if (value.is(Kind::kString)) {
    const MarkedString& text = value.as_string();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = next_character(text.text(), at);
      items.push_back(Value::string(text.slice(at, end)));
      at = end;
    }
  }
  return items;
}

std::optional<std::size_t> length_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return n_characters(value.as_string().text());
    case Kind::kList:
    case Kind::kTuple:
      return value.as_items().size();
    case Kind::kDict:
      return value.as_dict().size();
    case Kind::kObject:
      return value.as_object().length();
    default:
      return std::nullopt;
  }
}

}  // namespace mie::jinja
