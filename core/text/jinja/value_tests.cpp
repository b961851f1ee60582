#include "core/text/jinja/value_tests.h"

#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <array>

namespace mie::jinja {
namespace {

using Bound = BoundArguments;

template <bool (*kPredicate)(const Value&)>
Result<Value> check(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"test"}));
  return Value::boolean(kPredicate(self));
}

bool is_defined(const Value& value) { return !value.is(Kind::kUndefined); }
bool is_undefined(const Value& value) { return value.is(Kind::kUndefined); }
bool is_none(const Value& value) { return value.is(Kind::kNone); }
bool is_boolean(const Value& value) { return value.is(Kind::kBoolean); }
bool is_true(const Value& value) { return value.is(Kind::kBoolean) && value.as_boolean(); }
bool is_false(const Value& value) { return value.is(Kind::kBoolean) && !value.as_boolean(); }
bool is_integer(const Value& value) { return value.is(Kind::kInteger); }
bool is_real(const Value& value) { return value.is(Kind::kReal); }
bool is_text(const Value& value) { return value.is(Kind::kString); }
bool is_mapping(const Value& value) { return value.is(Kind::kDict); }
bool is_callable(const Value& value) {
  // Python's Undefined has a __call__, one that raises.
  return value.is(Kind::kUndefined) || (value.is(Kind::kObject) && value.as_object().callable());
}
bool is_escaped(const Value&) { return false; }
bool is_indexable(const Value& value) {
  if (value.is(Kind::kObject)) return value.as_object().indexable();
  return length_of(value).has_value();
}

template <Comparison kComparison>
Result<Value> compared(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"test", {"other"}, 1}));
  MIE_TRY(const bool holds, compare(runtime, kComparison, self, bound[0]));
  return Value::boolean(holds);
}

Result<Value> remainder_is(Runtime& runtime, const Value& self, const Value& divisor, std::int64_t rest) {
  MIE_TRY(const Value remainder, apply(runtime, Arithmetic::kModulo, self, divisor));
  MIE_TRY(const bool same, equal(runtime, remainder, Value::integer(rest)));
  return Value::boolean(same);
}

template <std::int64_t kRest>
Result<Value> parity(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"test"}));
  return remainder_is(runtime, self, Value::integer(2), kRest);
}

Result<Value> divisible(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"divisibleby", {"num"}, 1}));
  return remainder_is(runtime, self, bound[0], 0);
}

Result<Value> is_in(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"in", {"seq"}, 1}));
  MIE_TRY(const bool found, contains(runtime, bound[0], self));
  return Value::boolean(found);
}

Result<Value> same_as(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"sameas", {"other"}, 1}));
  const Value& other = bound[0];
  if (self.kind() != other.kind()) return Value::boolean(false);
  if (self.is_sequence()) return Value::boolean(&self.as_items() == &other.as_items());
  if (self.is(Kind::kDict)) return Value::boolean(&self.as_dict() == &other.as_dict());
  MIE_TRY(const bool same, equal(runtime, self, other));
  return Value::boolean(same);
}

// str(value).islower(), str(value).isupper()
template <bool kUpper>
Result<Value> has_case(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const MarkedString text, to_text(runtime, self));
  const Value as_text = Value::string(text);
  return find_method(as_text, kUpper ? "isupper" : "islower")->body(runtime, as_text, arguments);
}

template <const NamedFunction* (*kFind)(std::string_view)>
Result<Value> is_known(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"test"}));
  return Value::boolean(self.is(Kind::kString) && kFind(self.as_string().text()) != nullptr);
}

constexpr std::array kTests{
    NamedFunction{"!=", compared<Comparison::kNotEqual>},
    NamedFunction{"<", compared<Comparison::kLess>},
    NamedFunction{"<=", compared<Comparison::kLessOrEqual>},
    NamedFunction{"==", compared<Comparison::kEqual>},
    NamedFunction{">", compared<Comparison::kGreater>},
    NamedFunction{">=", compared<Comparison::kGreaterOrEqual>},
    NamedFunction{"boolean", check<is_boolean>},
    NamedFunction{"callable", check<is_callable>},
    NamedFunction{"defined", check<is_defined>},
    NamedFunction{"divisibleby", divisible},
    NamedFunction{"eq", compared<Comparison::kEqual>},
    NamedFunction{"equalto", compared<Comparison::kEqual>},
    NamedFunction{"escaped", check<is_escaped>},
    NamedFunction{"even", parity<0>},
    NamedFunction{"false", check<is_false>},
    NamedFunction{"filter", is_known<find_filter>},
    NamedFunction{"float", check<is_real>},
    NamedFunction{"ge", compared<Comparison::kGreaterOrEqual>},
    NamedFunction{"greaterthan", compared<Comparison::kGreater>},
    NamedFunction{"gt", compared<Comparison::kGreater>},
    NamedFunction{"in", is_in},
    NamedFunction{"integer", check<is_integer>},
    NamedFunction{"iterable", check<is_iterable>},
    NamedFunction{"le", compared<Comparison::kLessOrEqual>},
    NamedFunction{"lessthan", compared<Comparison::kLess>},
    NamedFunction{"lower", has_case<false>},
    NamedFunction{"lt", compared<Comparison::kLess>},
    NamedFunction{"mapping", check<is_mapping>},
    NamedFunction{"ne", compared<Comparison::kNotEqual>},
    NamedFunction{"none", check<is_none>},
    NamedFunction{"number", check<is_number>},
    NamedFunction{"odd", parity<1>},
    NamedFunction{"sameas", same_as},
    NamedFunction{"sequence", check<is_indexable>},
    NamedFunction{"string", check<is_text>},
    NamedFunction{"test", is_known<find_test>},
    NamedFunction{"true", check<is_true>},
    NamedFunction{"undefined", check<is_undefined>},
    NamedFunction{"upper", has_case<true>},
};

}  // namespace

const NamedFunction* find_test(std::string_view name) {
  const auto* const found =
      std::find_if(kTests.begin(), kTests.end(), [name](const NamedFunction& test) { return test.name == name; });
  return found == kTests.end() ? nullptr : found;
}

Result<bool> run_test(Runtime& runtime, std::string_view name, const Value& value, const Arguments& arguments) {
  const NamedFunction* test = find_test(name);
  if (test == nullptr) return failure("No test named " + quoted(name) + ".");
  MIE_CHECK(runtime.step());
  MIE_TRY(const Value verdict, test->body(runtime, value, arguments));
  return truthy(verdict);
}

}  // namespace mie::jinja
