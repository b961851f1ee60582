#include "core/text/jinja/globals.h"

#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/try.h"

#include <array>
#include <ctime>
#include <string>

namespace mie::jinja {
namespace {

constexpr std::int64_t kLongestRange = 100'000;  // jinja2.sandbox.MAX_RANGE
constexpr std::size_t kLongestTimeFormat = 256;  // bytes; each directive makes at most kTimePerDirective bytes
constexpr std::size_t kTimePerDirective = 64;

std::int64_t range_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
  // In 128 bits, where no distance of two 64-bit numbers overflows.
  const __int128 distance = step > 0 ? static_cast<__int128>(stop) - start : static_cast<__int128>(start) - stop;
  const __int128 stride = step > 0 ? static_cast<__int128>(step) : -static_cast<__int128>(step);
  const __int128 length = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  return length > kLongestRange ? kLongestRange + 1 : static_cast<std::int64_t>(length);
}

Result<Value> range(Runtime& runtime, const Value&, const Arguments& arguments) {
  MIE_TRY(const BoundArguments bound, BoundArguments::bind(arguments, {"range", {"start", "stop", "step"}, 1}));
  MIE_TRY(const std::int64_t first, bound.integer(0, 0));
  MIE_TRY(const std::int64_t second, bound.integer(1, 0));
  MIE_TRY(const std::int64_t step, bound.integer(2, 1));
  if (step == 0) return failure("range() arg 3 must not be zero");
  const std::int64_t start = bound.has(1) ? first : 0, stop = bound.has(1) ? second : first;
  const std::int64_t n = range_length(start, stop, step);
  if (n > kLongestRange)
    return failure("Range too big. The sandbox blocks ranges larger than MAX_RANGE (" + std::to_string(kLongestRange) + ").");
  MIE_CHECK(runtime.step(static_cast<std::size_t>(n)));
  std::vector<Value> items;
  items.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) items.push_back(Value::integer(start + i * step));
  std::string shown = "range(" + std::to_string(start) + ", " + std::to_string(stop);
  shown += step == 1 ? ")" : ", " + std::to_string(step) + ")";
  return Value::object(runtime.make<Iterable>(Iterable::Type::kRange, std::move(items), std::move(shown)));
}

Result<void> add_pairs(Runtime& runtime, const Value& source, Dict& dict) {
  MIE_TRY(const std::vector<Value> pairs, items_of(runtime, source));
  for (const Value& pair : pairs) {
    MIE_TRY(const std::vector<Value> key_and_value, items_of(runtime, pair));
    if (key_and_value.size() != 2) return failure("dictionary update sequence element has a length other than 2");
    if (!Dict::can_be_key(key_and_value[0])) return failure("unhashable type: '" + type_name(key_and_value[0]) + "'");
    dict.set(key_and_value[0], key_and_value[1]);
  }
  return {};
}

// dict(mapping or pairs, name=value, ...)
Result<Dict> build_dict(Runtime& runtime, const Arguments& arguments) {
  if (arguments.positional.size() > 1) return failure("dict expected at most 1 argument");
  Dict dict;
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (source.is(Kind::kDict))
      dict = source.as_dict();
    else
      MIE_CHECK(add_pairs(runtime, source, dict));
  }
  MIE_CHECK(runtime.step(dict.size()));
  for (const auto& [name, value] : arguments.named) dict.set(Value::string(name), value);
  return dict;
}

Result<Value> make_dict(Runtime& runtime, const Value&, const Arguments& arguments) {
  MIE_TRY(Dict dict, build_dict(runtime, arguments));
  return runtime.container(Value::dict(std::move(dict)));
}

Result<Value> make_namespace(Runtime& runtime, const Value&, const Arguments& arguments) {
  MIE_TRY(Dict attributes, build_dict(runtime, arguments));
  for (const auto& [name, value] : attributes.entries())
    if (name.is(Kind::kString)) MIE_CHECK(check_namespace_attribute(name.as_string().text()));
  return Value::object(runtime.make<Namespace>(std::move(attributes)));
}

Result<Value> raise_exception(Runtime& runtime, const Value&, const Arguments& arguments) {
  MIE_TRY(const BoundArguments bound, BoundArguments::bind(arguments, {"raise_exception", {"message"}, 1}));
  MIE_TRY(const MarkedString message, to_text(runtime, bound[0]));
  return failure(message.text());
}

Result<Value> strftime_now(Runtime& runtime, const Value&, const Arguments& arguments) {
  MIE_TRY(const BoundArguments bound, BoundArguments::bind(arguments, {"strftime_now", {"format"}, 1}));
  MIE_TRY(const MarkedString* format, bound.text(0));
  if (format->size() > kLongestTimeFormat) return failure("the format of strftime_now is too long");
  if (format->empty()) return Value::text("");
  const std::time_t now = runtime.now_unix_seconds();
  std::tm local{};
  if (localtime_r(&now, &local) == nullptr) return failure("the time cannot be represented");
  std::string text(kLongestTimeFormat * kTimePerDirective, '\0');
  text.resize(std::strftime(text.data(), text.size(), format->text().c_str(), &local));
  return Value::string(MarkedString(std::move(text), format->marks().empty() ? Origin::kTemplate : Origin::kInput));
}

constexpr std::array kGlobals{
    NamedFunction{"dict", make_dict},
    NamedFunction{"namespace", make_namespace},
    NamedFunction{"raise_exception", raise_exception},
    NamedFunction{"range", range},
    NamedFunction{"strftime_now", strftime_now},
};

}  // namespace

std::span<const NamedFunction> global_functions() { return kGlobals; }

Result<void> check_namespace_attribute(std::string_view name) {
  if (!name.starts_with('_')) return {};
  return failure("Chat templates cannot store underscore-prefixed attributes on a namespace, but got " + quoted(name) +
                 ". Please rename the attribute.");
}

}  // namespace mie::jinja
