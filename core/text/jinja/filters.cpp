#include "core/text/jinja/filters.h"

#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/json_format.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/try.h"

#include <array>
#include <cmath>

namespace mie::jinja {
namespace {

using Bound = BoundArguments;

Result<Value> absolute(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"abs"}));
  if (!is_number(self)) return failure("bad operand type for abs(): '" + type_name(self) + "'");
  if (self.is(Kind::kReal)) return Value::real(std::fabs(self.as_real()));
  return *integral(self) < 0 ? negate(self) : Value::integer(*integral(self));
}

Result<Value> attribute(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"attr", {"name"}, 1}));
  MIE_TRY(const MarkedString* name, bound.text(0));
  // Unlike x.name this does not fall back to an item, so of a dict only its methods are left.
  if (self.is(Kind::kDict) && self.as_dict().find(name->text()) != nullptr)
    return Value::undefined("'" + described(self) + "' has no attribute " + quoted(name->text()));
  return get_attribute(runtime, self, name->text());
}

Result<Value> otherwise(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"default", {"default_value", "boolean"}}));
  const bool missing = self.is(Kind::kUndefined) || (bound.flag(1, false) && !truthy(self));
  if (!missing) return self;
  return bound.has(0) ? bound[0] : Value::text("");
}

Result<Value> to_integer(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"int", {"default", "base"}}));
  MIE_TRY(const std::int64_t base, bound.integer(1, 10));
  if (base != 0 && (base < 2 || base > 36)) return failure("int() base must be >= 2 and <= 36, or 0");
  if (self.is(Kind::kUndefined)) return failure(self.explanation());
  if (const auto whole = integral(self)) return Value::integer(*whole);
  std::optional<double> real;
  if (self.is(Kind::kReal)) real = self.as_real();
  if (self.is(Kind::kString)) {
    const std::string& text = self.as_string().text();
    if (const auto parsed = parse_integer(text, static_cast<int>(base))) return Value::integer(*parsed);
    real = parse_real(text);
  }
  if (!real || !std::isfinite(*real)) return bound.has(0) ? bound[0] : Value::integer(0);
  MIE_TRY(const std::int64_t whole, truncate_real(*real));
  return Value::integer(whole);
}

Result<Value> to_float(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"float", {"default"}}));
  if (self.is(Kind::kUndefined)) return failure(self.explanation());
  if (is_number(self)) return Value::real(to_real(self));
  if (self.is(Kind::kString))
    if (const auto parsed = parse_real(self.as_string().text())) return Value::real(*parsed);
  return bound.has(0) ? bound[0] : Value::real(0.0);
}

Result<Value> round_up_or_down(const Value& number, std::int64_t precision, bool up) {
  const double unit = std::pow(10.0, static_cast<double>(precision));
  const double scaled = to_real(number) * unit;
  if (!std::isfinite(scaled)) return failure("cannot convert float infinity or NaN to integer");
  return Value::real((up ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

Result<Value> round(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"round", {"precision", "method"}}));
  MIE_TRY(const std::int64_t precision, bound.integer(0, 0));
  std::string method = "common";
  if (bound.has(1)) {
    MIE_TRY(const MarkedString* given, bound.text(1));
    method = given->text();
  }
  if (!is_number(self)) return failure("type " + type_name(self) + " doesn't define __round__ method");
  if (method == "common") return round_number(self, precision);
  if (method != "ceil" && method != "floor") return failure("method must be common, ceil or floor");
  return round_up_or_down(self, precision, method == "ceil");
}

Result<void> set_separators(Runtime& runtime, const Value& separators, JsonStyle& style) {
  MIE_TRY(const std::vector<Value> pair, items_of(runtime, separators));
  if (pair.size() != 2 || !pair[0].is(Kind::kString) || !pair[1].is(Kind::kString))
    return failure("separators must be two strings");
  style.item_separator = pair[0].as_string();
  style.key_separator = pair[1].as_string();
  return {};
}

Result<Value> to_json_text(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"tojson", {"ensure_ascii", "indent", "separators", "sort_keys"}}));
  JsonStyle style;
  style.ensure_ascii = bound.flag(0, false);
  style.sort_keys = bound.flag(3, false);
  if (bound.has_some(1)) {
    style.item_separator = MarkedString(",", Origin::kTemplate);
    if (bound[1].is(Kind::kString)) {
      style.indent = bound[1].as_string();
    } else {
      MIE_TRY(const std::int64_t width, bound.integer(1, 0));
      MIE_CHECK(runtime.text(width > 0 ? static_cast<std::size_t>(width) : 0));
      style.indent =
          MarkedString(std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' '), Origin::kTemplate);
    }
  }
  if (bound.has_some(2)) MIE_CHECK(set_separators(runtime, bound[2], style));
  MIE_TRY(MarkedString json, to_json(runtime, self, style));
  return Value::string(std::move(json));
}

constexpr std::array kScalarFilters{
    NamedFunction{"abs", absolute},      NamedFunction{"attr", attribute},      NamedFunction{"d", otherwise},
    NamedFunction{"default", otherwise}, NamedFunction{"float", to_float},      NamedFunction{"int", to_integer},
    NamedFunction{"round", round},       NamedFunction{"tojson", to_json_text},
};

}  // namespace

std::span<const NamedFunction> scalar_filters() { return kScalarFilters; }

const NamedFunction* find_filter(std::string_view name) {
  for (const auto table : {scalar_filters(), text_filters(), sequence_filters(), choosing_filters()})
    for (const NamedFunction& filter : table)
      if (filter.name == name) return &filter;
  return nullptr;
}

Result<Value> apply_filter(Runtime& runtime, std::string_view name, const Value& value, const Arguments& arguments) {
  const NamedFunction* filter = find_filter(name);
  if (filter == nullptr) return failure("No filter named " + quoted(name) + ".");
  MIE_CHECK(runtime.step());
  return filter->body(runtime, value, arguments);
}

}  // namespace mie::jinja
