// Filters on sequences as a whole: ends, order, size, sums.
#include "core/text/jinja/access.h"
#include "core/text/jinja/arguments.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/string_ops.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <array>

namespace mie::jinja {
namespace {

using Bound = BoundArguments;

Value generator(Runtime& runtime, std::vector<Value> items) {
  return Value::object(runtime.make<Iterable>(Iterable::Type::kGenerator, std::move(items)));
}

Iterable* as_iterable(const Value& value) {
  return value.is(Kind::kObject) ? dynamic_cast<Iterable*>(&value.as_object()) : nullptr;
}

Value without_case(const Value& key) {
  return key.is(Kind::kString) ? Value::string(with_case(key.as_string(), CaseMap::kLower)) : key;
}

// What an item is compared by: the value at `path` (several, parted by commas), case ignored unless asked.
struct KeyRule {
  Value path;
  bool case_sensitive = false;
};

Result<Value> key_of(Runtime& runtime, const Value& item, const KeyRule& rule) {
  const bool whole = rule.path.is(Kind::kNone) || rule.path.is(Kind::kUndefined);
  MIE_TRY(const Value key, whole ? Result<Value>(item) : get_path(runtime, item, rule.path));
  return rule.case_sensitive ? key : without_case(key);
}

Result<std::vector<Value>> sort_keys(Runtime& runtime, const std::vector<Value>& items, const KeyRule& rule) {
  std::vector<Value> paths{rule.path};
  if (rule.path.is(Kind::kString)) {
    paths.clear();
    for (MarkedString& path : split(rule.path.as_string(), ",", -1)) paths.push_back(Value::string(std::move(path)));
  }
  std::vector<Value> keys;
  keys.reserve(items.size());
  for (const Value& item : items) {
    std::vector<Value> parts;
    for (const Value& path : paths) {
      MIE_TRY(Value part, key_of(runtime, item, {path, rule.case_sensitive}));
      parts.push_back(std::move(part));
    }
    keys.push_back(Value::list(std::move(parts)));
  }
  return keys;
}

Result<Value> first(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"first"}));
  std::optional<Value> item;
  if (Iterable* iterable = as_iterable(self)) {
    item = iterable->next();
  } else {
    MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
    if (!items.empty()) item = items.front();
  }
  return item ? *item : Value::undefined("No first item, sequence was empty.");
}

Result<Value> last(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"last"}));
  if (!length_of(self)) return failure("'" + type_name(self) + "' object is not reversible");
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  return items.empty() ? Value::undefined("No last item, sequence was empty.") : items.back();
}

Result<Value> length(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"length"}));
  if (self.is(Kind::kString)) MIE_CHECK(runtime.scan(self.as_string().size()));
  if (const auto n = length_of(self)) return Value::integer(static_cast<std::int64_t>(*n));
  return failure("object of type '" + type_name(self) + "' has no len()");
}

Result<Value> to_list(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"list"}));
  MIE_TRY(std::vector<Value> items, items_of(runtime, self));
  return Value::list(std::move(items));
}

Result<Value> reverse(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"reverse"}));
  if (self.is(Kind::kString)) return get_slice(runtime, self, {Value::none(), Value::none(), Value::integer(-1)});
  if (!is_iterable(self)) return failure("argument must be iterable");
  MIE_TRY(std::vector<Value> items, items_of(runtime, self));
  std::reverse(items.begin(), items.end());
  if (!length_of(self)) return Value::list(std::move(items));  // of a generator jinja2 makes a list
  return Value::object(runtime.make<Iterable>(Iterable::Type::kReverseIterator, std::move(items)));
}

Result<Value> sort(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"sort", {"reverse", "case_sensitive", "attribute"}}));
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  MIE_TRY(const std::vector<Value> keys, sort_keys(runtime, items, {bound[2], bound.flag(1, false)}));
  MIE_TRY(std::vector<Value> in_order, sorted(runtime, items, keys, bound.flag(0, false)));
  return Value::list(std::move(in_order));
}

Result<Value> sort_dict(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"dictsort", {"case_sensitive", "by", "reverse"}}));
  if (self.is(Kind::kUndefined)) return failure(self.explanation());
  if (!self.is(Kind::kDict)) return failure("'" + type_name(self) + "' object has no attribute 'items'");
  bool by_value = false;
  if (bound.has(1)) {
    MIE_TRY(const MarkedString* by, bound.text(1));
    by_value = by->text() == "value";
    if (!by_value && by->text() != "key") return failure("You can only sort by either \"key\" or \"value\"");
  }
  std::vector<Value> pairs, keys;
  for (const auto& [key, value] : self.as_dict().entries()) {
    const Value& by = by_value ? value : key;
    pairs.push_back(Value::tuple({key, value}));
    keys.push_back(bound.flag(0, false) ? by : without_case(by));
  }
  MIE_TRY(std::vector<Value> in_order, sorted(runtime, pairs, keys, bound.flag(2, false)));
  return Value::list(std::move(in_order));
}

Result<Value> unique(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"unique", {"case_sensitive", "attribute"}}));
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  std::vector<Value> kept, seen;
  for (const Value& item : items) {
    MIE_TRY(Value key, key_of(runtime, item, {bound[1], bound.flag(0, false)}));
    if (key.is(Kind::kList) || key.is(Kind::kDict)) return failure("unhashable type: '" + type_name(key) + "'");
    bool known = false;
    for (const Value& other : seen) {
      MIE_TRY(known, equal(runtime, key, other));
      if (known) break;
    }
    if (known) continue;
    seen.push_back(std::move(key));
    kept.push_back(item);
  }
  return generator(runtime, std::move(kept));
}

enum class Extreme { kLeast, kGreatest };

template <Extreme kExtreme>
Result<Value> extreme(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"min", {"case_sensitive", "attribute"}}));
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  const KeyRule rule{bound[1], bound.flag(0, false)};
  std::size_t best = 0;
  MIE_TRY(Value best_key, key_of(runtime, items[0], rule));
  for (std::size_t i = 1; i < items.size(); ++i) {
    MIE_TRY(Value key, key_of(runtime, items[i], rule));
    const bool least = kExtreme == Extreme::kLeast;
    MIE_TRY(const int ordered, order(runtime, key, best_key, least ? "<" : ">"));
    if (ordered != (least ? -1 : 1)) continue;
    best = i;
    best_key = std::move(key);
  }
  return items[best];
}

Result<Value> sum(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"sum", {"attribute", "start"}}));
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  Value total = bound.has(1) ? bound[1] : Value::integer(0);
  if (total.is(Kind::kString)) return failure("sum() can't sum strings [use ''.join(seq) instead]");
  for (const Value& item : items) {
    MIE_TRY(const Value term, key_of(runtime, item, {bound[0], /*case_sensitive=*/true}));
    MIE_TRY(total, apply(runtime, Arithmetic::kAdd, total, term));
  }
  return total;
}

Result<Value> batch(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_TRY(const Bound bound, Bound::bind(arguments, {"batch", {"linecount", "fill_with"}, 1}));
  MIE_TRY(const std::int64_t size, bound.integer(0, 1));
  MIE_TRY(const std::vector<Value> items, items_of(runtime, self));
  std::vector<Value> batches, one;
  for (const Value& item : items) {
    if (static_cast<std::int64_t>(one.size()) == size) batches.push_back(Value::list(std::exchange(one, {})));
    one.push_back(item);
  }
  if (!one.empty() && bound.has_some(1) && static_cast<std::int64_t>(one.size()) < size) {
    MIE_CHECK(runtime.step(static_cast<std::size_t>(size)));
    one.resize(static_cast<std::size_t>(size), bound[1]);
  }
  if (!one.empty()) batches.push_back(Value::list(std::move(one)));
  return generator(runtime, std::move(batches));
}

Result<Value> items(Runtime& runtime, const Value& self, const Arguments& arguments) {
  MIE_CHECK(Bound::bind(arguments, {"items"}));
  if (!self.is(Kind::kDict) && !self.is(Kind::kUndefined)) return failure("Can only get item pairs from a mapping.");
  std::vector<Value> pairs;
  if (self.is(Kind::kDict)) {
    MIE_CHECK(runtime.step(self.as_dict().size()));
    for (const auto& [key, value] : self.as_dict().entries()) pairs.push_back(Value::tuple({key, value}));
  }
  return generator(runtime, std::move(pairs));
}

constexpr std::array kSequenceFilters{
    NamedFunction{"batch", batch},
    NamedFunction{"count", length},
    NamedFunction{"dictsort", sort_dict},
    NamedFunction{"first", first},
    NamedFunction{"items", items},
    NamedFunction{"last", last},
    NamedFunction{"length", length},
    NamedFunction{"list", to_list},
    NamedFunction{"max", extreme<Extreme::kGreatest>},
    NamedFunction{"min", extreme<Extreme::kLeast>},
    NamedFunction{"reverse", reverse},
    NamedFunction{"sort", sort},
    NamedFunction{"sum", sum},
    NamedFunction{"unique", unique},
};

}  // namespace

std::span<const NamedFunction> sequence_filters() { return kSequenceFilters; }

}  // namespace mie::jinja
