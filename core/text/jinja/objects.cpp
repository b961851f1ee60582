#include "core/text/jinja/objects.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/try.h"

namespace mie::jinja {

Result<MarkedString> Object::repr(Runtime&) { return MarkedString("<" + described() + ">", Origin::kTemplate); }
Result<std::optional<Value>> Object::attribute(Runtime&, std::string_view) { return std::optional<Value>(); }
Result<Value> Object::call(Runtime&, Arguments) { return failure("'" + type_name() + "' object is not callable"); }
Result<std::vector<Value>> Object::items(Runtime&) { return failure("'" + type_name() + "' object is not iterable"); }

Result<MarkedString> Namespace::repr(Runtime& runtime) {
  const auto nesting = runtime.nest_call();  // a namespace may hold itself
  MIE_CHECK(runtime.check_nesting());
  MIE_TRY(const MarkedString attributes, jinja::repr(runtime, Value::dict(attributes_)));
  MarkedString shown("<Namespace ", Origin::kTemplate);
  shown.append(attributes);
  shown.append(">");
  return shown;
}

Result<std::optional<Value>> Namespace::attribute(Runtime&, std::string_view name) {
  const Value* found = attributes_.find(name);
  return found == nullptr ? std::nullopt : std::optional<Value>(*found);
}

void Namespace::set(const std::string& name, Value value) { attributes_.set(Value::text(name), std::move(value)); }

Result<MarkedString> Function::repr(Runtime&) { return MarkedString("<function " + name_ + ">", Origin::kTemplate); }

std::string Iterable::type_name() const {
  switch (type_) {
    case Type::kGenerator:
      return "generator";
    case Type::kReverseIterator:
      return "list_reverseiterator";
    case Type::kDictKeys:
      return "dict_keys";
    case Type::kDictValues:
      return "dict_values";
    case Type::kDictItems:
      return "dict_items";
    case Type::kRange:
      return "range";
  }
  return {};
}

Result<MarkedString> Iterable::repr(Runtime& runtime) {
  if (type_ == Type::kRange) return MarkedString(shown_, Origin::kTemplate);
  if (once()) return Object::repr(runtime);
  MIE_TRY(const MarkedString list, jinja::repr(runtime, Value::list(items_)));
  MarkedString shown(type_name() + "(", Origin::kTemplate);
  shown.append(list);
  shown.append(")");
  return shown;
}

Result<std::vector<Value>> Iterable::items(Runtime& runtime) {
  MIE_CHECK(runtime.step(items_.size() - n_used_));
  if (!once()) return items_;
  std::vector<Value> rest(items_.begin() + static_cast<std::ptrdiff_t>(n_used_), items_.end());
  n_used_ = items_.size();
  return rest;
}

std::optional<std::size_t> Iterable::length() const {
  return once() ? std::nullopt : std::optional<std::size_t>(items_.size());
}

std::optional<Value> Iterable::next() {
  if (n_used_ == items_.size()) return std::nullopt;
  Value item = items_[n_used_];
  if (once()) ++n_used_;
  return item;
}

}  // namespace mie::jinja
