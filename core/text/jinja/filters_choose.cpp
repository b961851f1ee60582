// map, select, reject and their attribute forms: filters that run a filter or a test on each item.
#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/value_tests.h"

#include <algorithm>
#include <array>

namespace mie::jinja {
namespace {

Value generator(Runtime& runtime, std::vector<Value> items) {
  return Value::object(runtime.make<Iterable>(Iterable::Type::kGenerator, std::move(items)));
}

// The arguments behind the first `n` positional ones.
Arguments behind(const Arguments& arguments, std::size_t n) {
  Arguments rest{{}, arguments.named};
  rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(n), arguments.positional.end());
  return rest;
}

Result<std::string> name_at(const Arguments& arguments, std::size_t i, const char* missing) {
  if (i >= arguments.positional.size()) return failure(missing);
  if (!arguments.positional[i].is(Kind::kString)) return failure("the name of a filter or test must be a string");
  return arguments.positional[i].as_string().text();
}

Result<Value> map_attribute(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const BoundArguments bound, BoundArguments::bind(arguments, {"map", {"attribute", "default"}, 1}));
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  std::vector<Value> mapped;
  mapped.reserve(items.size());
  for (const Value& item : items) {
    MIE_TRY(Value value, get_path(runtime, item, bound[0], bound.has_some(1) ? &bound[1] : nullptr));
    mapped.push_back(std::move(value));
  }
  return generator(runtime, std::move(mapped));
}

Result<Value> map(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (!truthy(self)) return generator(runtime, {});
  if (arguments.positional.empty() && !arguments.named.empty()) return map_attribute(runtime, self, arguments);
  MIE_TRY(const std::string filter, name_at(arguments, 0, "map requires a filter argument"));
  const Arguments rest = behind(arguments, 1);
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  std::vector<Value> mapped;
  mapped.reserve(items.size());
  for (const Value& item : items) {
    MIE_TRY(Value value, apply_filter(runtime, filter, item, rest));
    mapped.push_back(std::move(value));
  }
  return generator(runtime, std::move(mapped));
}

enum class Keep { kPassing, kFailing };
enum class Look { kAtItem, kAtAttribute };

template <Keep kKeep, Look kLook>
Result<Value> choose(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (!truthy(self)) return generator(runtime, {});
  const bool by_attribute = kLook == Look::kAtAttribute;
  if (by_attribute && arguments.positional.empty()) return failure("Missing parameter for attribute name");
  const std::size_t at_test = by_attribute ? 1 : 0;
  std::string test;  // none: truth decides
  Arguments rest;
  if (arguments.positional.size() > at_test) {
    MIE_TRY(test, name_at(arguments, at_test, ""));
    rest = behind(arguments, at_test + 1);
  }
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  std::vector<Value> kept;
  for (const Value& item : items) {
    MIE_TRY(const Value subject, by_attribute ? get_path(runtime, item, arguments.positional[0]) : Result<Value>(item));
    MIE_TRY(const bool passes, test.empty() ? Result<bool>(truthy(subject)) : run_test(runtime, test, subject, rest));
    if (passes == (kKeep == Keep::kPassing)) kept.push_back(item);
  }
  return generator(runtime, std::move(kept));
}

constexpr std::array kChoosingFilters{
    NamedFunction{"map", map},
    NamedFunction{"reject", choose<Keep::kFailing, Look::kAtItem>},
    NamedFunction{"rejectattr", choose<Keep::kFailing, Look::kAtAttribute>},
    NamedFunction{"select", choose<Keep::kPassing, Look::kAtItem>},
    NamedFunction{"selectattr", choose<Keep::kPassing, Look::kAtAttribute>},
};

}  // namespace

std::span<const NamedFunction> choosing_filters() { return kChoosingFilters; }

}  // namespace mie::jinja
