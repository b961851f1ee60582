#include "core/text/jinja/methods.h"

#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/unicode.h"

#include <algorithm>
#include <array>

namespace mie::jinja {
namespace {

std::vector<Value> pairs_of(const Dict& dict) {
  std::vector<Value> pairs;
  pairs.reserve(dict.size());
  for (const auto& [key, value] : dict.entries()) pairs.push_back(Value::tuple({key, value}));
  return pairs;
}

Result<Value> dict_items(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(BoundArguments::bind(arguments, {"items"}));
  MIE_CHECK(runtime.step(self.as_dict().size()));
  return Value::object(runtime.make<Iterable>(Iterable::Type::kDictItems, pairs_of(self.as_dict())));
}

Result<Value> dict_keys(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(BoundArguments::bind(arguments, {"keys"}));
  MIE_TRY(std::vector<Value> keys, items_of(runtime, self));
  return Value::object(runtime.make<Iterable>(Iterable::Type::kDictKeys, std::move(keys)));
}

Result<Value> dict_values(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(BoundArguments::bind(arguments, {"values"}));
  MIE_CHECK(runtime.step(self.as_dict().size()));
  std::vector<Value> values;
  for (const auto& entry : self.as_dict().entries()) values.push_back(entry.second);
  return Value::object(runtime.make<Iterable>(Iterable::Type::kDictValues, std::move(values)));
}

Result<Value> dict_get(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_TRY(const BoundArguments bound, BoundArguments::bind(arguments, {"get", {"key", "default"}, 1}));
  if (bound[0].is(Kind::kList) || bound[0].is(Kind::kDict)) return failure("unhashable type: '" + type_name(bound[0]) + "'");
  if (const Value* found = self.as_dict().find(bound[0])) return *found;
  return bound.has(1) ? bound[1] : Value::none();
}

Result<Value> copy(Runtime&, const Value& self, const Arguments& arguments) {
  MIE_CHECK(BoundArguments::bind(arguments, {"copy"}));
  return self;
}

Result<Value> count(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const BoundArguments bound, BoundArguments::bind(arguments, {"count", {"value"}, 1}));
  std::int64_t n = 0;
  for (const Value& item : self.as_items()) {
    MIE_TRY(const bool same, equal(runtime, item, bound[0]));
    n += same ? 1 : 0;
  }
  return Value::integer(n);
}

Result<Value> index(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const BoundArguments bound, BoundArguments::bind(arguments, {"index", {"value"}, 1}));
  const auto& items = self.as_items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    MIE_TRY(const bool same, equal(runtime, items[i], bound[0]));
    if (same) return Value::integer(static_cast<std::int64_t>(i));
  }
  if (self.is(Kind::kTuple)) return failure("tuple.index(x): x not in tuple");
  MIE_TRY(const MarkedString shown, repr(runtime, bound[0]));
  const std::size_t end = byte_of_character(shown.text(), kMostQuotedCharacters);
  return failure(shown.text().substr(0, end) + " is not in list");
}

constexpr std::array kDictMethods{
    NamedFunction{"copy", copy},      NamedFunction{"get", dict_get},       NamedFunction{"items", dict_items},
    NamedFunction{"keys", dict_keys}, NamedFunction{"values", dict_values},
};
constexpr std::array kListMethods{NamedFunction{"copy", copy}, NamedFunction{"count", count}, NamedFunction{"index", index}};
constexpr std::array kTupleMethods{NamedFunction{"count", count}, NamedFunction{"index", index}};

constexpr std::array<std::string_view, 5> kDictMutators{"clear", "pop", "popitem", "setdefault", "update"};
constexpr std::array<std::string_view, 8> kListMutators{"append", "clear",  "extend",  "insert",
                                                        "pop",    "remove", "reverse", "sort"};

std::span<const NamedFunction> methods_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return text_methods();
    case Kind::kDict:
      return kDictMethods;
    case Kind::kList:
      return kListMethods;
    case Kind::kTuple:
      return kTupleMethods;
    default:
      return {};
  }
}

}  // namespace

const NamedFunction* find_method(const Value& value, std::string_view name) {
  for (const NamedFunction& method : methods_of(value))
    if (method.name == name) return &method;
  return nullptr;
}

bool is_mutator(const Value& value, std::string_view name) {
  if (value.is(Kind::kDict)) return std::find(kDictMutators.begin(), kDictMutators.end(), name) != kDictMutators.end();
  if (value.is(Kind::kList)) return std::find(kListMutators.begin(), kListMutators.end(), name) != kListMutators.end();
  return false;
}

}  // namespace mie::jinja
