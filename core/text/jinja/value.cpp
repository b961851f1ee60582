#include "core/text/jinja/value.h"

#include "core/base/ensure.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/marked_string.h"

#include <algorithm>

namespace mie::jinja {

Value Value::none() { return Value(Held(None{})); }
Value Value::boolean(bool value) { return Value(Held(value)); }
Value Value::integer(std::int64_t value) { return Value(Held(value)); }
Value Value::real(double value) { return Value(Held(value)); }
Value Value::input(std::string text) { return string(MarkedString(std::move(text), Origin::kInput)); }
Value Value::text(std::string text) { return string(MarkedString(std::move(text), Origin::kTemplate)); }
Value Value::string(MarkedString text) { return Value(Held(std::make_shared<const MarkedString>(std::move(text)))); }
Value Value::list(std::vector<Value> items) { return Value(Held(List{sequence(std::move(items))})); }
Value Value::tuple(std::vector<Value> items) { return Value(Held(Tuple{sequence(std::move(items))})); }
Value Value::dict(Dict entries) { return Value(Held(std::make_shared<const Dict>(std::move(entries)))); }
Value Value::object(Object& object) { return Value(Held(&object)); }

Value Value::undefined(std::string explanation) {
  return Value(Held(Undefined{std::make_shared<const std::string>(std::move(explanation))}));
}

Value Value::dict(std::vector<std::pair<std::string, Value>> entries) {
  Dict dict;
  for (auto& [key, value] : entries) dict.set(input(std::move(key)), std::move(value));
  return Value::dict(std::move(dict));
}

std::shared_ptr<const Value::Sequence> Value::sequence(std::vector<Value> items) {
  int depth = 1;
  for (const Value& item : items) depth = std::max(depth, item.depth() + 1);
  return std::make_shared<const Sequence>(Sequence{std::move(items), depth});
}

bool Value::as_boolean() const { return std::get<bool>(held_); }
std::int64_t Value::as_integer() const { return std::get<std::int64_t>(held_); }
double Value::as_real() const { return std::get<double>(held_); }
const MarkedString& Value::as_string() const { return *std::get<std::shared_ptr<const MarkedString>>(held_); }
const Dict& Value::as_dict() const { return *std::get<std::shared_ptr<const Dict>>(held_); }
Object& Value::as_object() const { return *std::get<Object*>(held_); }

const std::vector<Value>& Value::as_items() const {
  if (const List* list = std::get_if<List>(&held_)) return list->sequence->items;
  ENSURE(is(Kind::kTuple), "items of a value that is no sequence");
  return std::get<Tuple>(held_).sequence->items;
}

std::string Value::explanation() const {
  const auto& explanation = std::get<Undefined>(held_).explanation;
  return explanation ? *explanation : "a value is undefined";
}

int Value::depth() const {
  switch (kind()) {
    case Kind::kList:
      return std::get<List>(held_).sequence->depth;
    case Kind::kTuple:
      return std::get<Tuple>(held_).sequence->depth;
    case Kind::kDict:
      return as_dict().depth();
    default:
      return 0;
  }
}

}  // namespace mie::jinja
