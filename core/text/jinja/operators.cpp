#include "core/text/jinja/operators.h"

#include "core/text/jinja/access.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/printf_format.h"
#include "core/text/jinja/string_ops.h"
#include "core/text/jinja/try.h"

#include <algorithm>

namespace mie::jinja {
namespace {

Error unsupported(Arithmetic operation, const Value& a, const Value& b) {
  return failure("unsupported operand type(s) for " + std::string(symbol(operation)) + ": '" + type_name(a) + "' and '" +
                 type_name(b) + "'");
}

Value sequence_like(const Value& model, std::vector<Value> items) {
  return model.is(Kind::kList) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

Result<Value> concatenate(Runtime& runtime, const Value& a, const Value& b) {
  if (a.kind() != b.kind()) {
    const std::string type = type_name(a);
    if (!a.is(Kind::kString) && !a.is_sequence()) return unsupported(Arithmetic::kAdd, a, b);
    return failure("can only concatenate " + type + " (not \"" + type_name(b) + "\") to " + type);
  }
  if (a.is(Kind::kString)) {
    MIE_CHECK(runtime.text(a.as_string().size() + b.as_string().size()));
    MarkedString joined;
    joined.reserve(a.as_string().size() + b.as_string().size());
    joined.append(a.as_string());
    joined.append(b.as_string());
    return Value::string(std::move(joined));
  }
  if (!a.is_sequence()) return unsupported(Arithmetic::kAdd, a, b);
  MIE_CHECK(runtime.step(a.as_items().size() + b.as_items().size()));
  std::vector<Value> items = a.as_items();
  items.insert(items.end(), b.as_items().begin(), b.as_items().end());
  return sequence_like(a, std::move(items));
}

Result<Value> repeat(Runtime& runtime, const Value& sequence, std::int64_t times) {
  if (times < 0) times = 0;
  const std::size_t size = sequence.is(Kind::kString) ? sequence.as_string().size() : sequence.as_items().size();
  std::size_t total = 0;
  if (__builtin_mul_overflow(size, static_cast<std::size_t>(times), &total))
    return limit_exceeded("the chat template repeats a value too often");
  if (size == 0) return sequence;
  if (sequence.is(Kind::kString)) {
    MIE_CHECK(runtime.text(total));
    return Value::string(repeated(sequence.as_string(), static_cast<std::size_t>(times)));
  }
  MIE_CHECK(runtime.step(total));
  std::vector<Value> items;
  items.reserve(total);
  for (; times > 0; --times) items.insert(items.end(), sequence.as_items().begin(), sequence.as_items().end());
  return sequence_like(sequence, std::move(items));
}

Result<bool> equal_dicts(Runtime& runtime, const Dict& a, const Dict& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Value* other = b.find(key);
    if (other == nullptr) return false;
    MIE_TRY(const bool same, equal(runtime, value, *other));
    if (!same) return false;
  }
  return true;
}

}  // namespace

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBoolean:
      return value.as_boolean();
    case Kind::kInteger:
      return value.as_integer() != 0;
    case Kind::kReal:
      return value.as_real() != 0;
    case Kind::kString:
      return !value.as_string().empty();
    case Kind::kList:
    case Kind::kTuple:
      return !value.as_items().empty();
    case Kind::kDict:
      return value.as_dict().size() != 0;
    case Kind::kObject:
      return value.as_object().length().value_or(1) != 0;
  }
  return false;
}

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBoolean:
      return "bool";
    case Kind::kInteger:
      return "int";
    case Kind::kReal:
      return "float";
    case Kind::kString:
      return "str";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return "tuple";
    case Kind::kDict:
      return "dict";
    case Kind::kObject:
      return value.as_object().type_name();
  }
  return {};
}

std::string described(const Value& value) {
  if (value.is(Kind::kNone)) return "None";
  return value.is(Kind::kObject) ? value.as_object().described() : type_name(value) + " object";
}

Result<Value> apply(Runtime& runtime, Arithmetic operation, const Value& a, const Value& b) {
  if (a.is(Kind::kString) && operation == Arithmetic::kModulo) {
    MIE_TRY(MarkedString formatted, printf_format(runtime, a.as_string(), b));
    return Value::string(std::move(formatted));
  }
  if (a.is(Kind::kUndefined)) return failure(a.explanation());
  if (b.is(Kind::kUndefined)) return failure(b.explanation());
  if (is_number(a) && is_number(b)) return calculate(operation, a, b);
  if (operation == Arithmetic::kAdd) return concatenate(runtime, a, b);
  if (operation == Arithmetic::kMultiply) {
    const auto is_text_or_sequence = [](const Value& value) { return value.is(Kind::kString) || value.is_sequence(); };
    if (const auto times = integral(b); times && is_text_or_sequence(a)) return repeat(runtime, a, *times);
    if (const auto times = integral(a); times && is_text_or_sequence(b)) return repeat(runtime, b, *times);
    if (is_text_or_sequence(a)) return failure("can't multiply sequence by non-int of type '" + type_name(b) + "'");
    if (is_text_or_sequence(b)) return failure("can't multiply sequence by non-int of type '" + type_name(a) + "'");
  }
  return unsupported(operation, a, b);
}

Result<bool> equal(Runtime& runtime, const Value& a, const Value& b) {
  MIE_CHECK(runtime.step());
  if (a.is_sequence() && a.kind() == b.kind()) {
    const auto &left = a.as_items(), &right = b.as_items();
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      MIE_TRY(const bool same, equal(runtime, left[i], right[i]));
      if (!same) return false;
    }
    return true;
  }
  if (a.is(Kind::kDict) && b.is(Kind::kDict)) return equal_dicts(runtime, a.as_dict(), b.as_dict());
  if (a.is(Kind::kObject) && b.is(Kind::kObject)) return &a.as_object() == &b.as_object();
  return equal_scalars(a, b);
}

Result<bool> compare(Runtime& runtime, Comparison comparison, const Value& a, const Value& b) {
  if (comparison == Comparison::kEqual) return equal(runtime, a, b);
  if (comparison == Comparison::kNotEqual) {
    MIE_TRY(const bool same, equal(runtime, a, b));
    return !same;
  }
  constexpr std::string_view kSymbols[] = {"==", "!=", "<", "<=", ">", ">="};
  MIE_TRY(const int ordered, order(runtime, a, b, kSymbols[static_cast<std::size_t>(comparison)]));
  if (ordered == kUnordered) return false;
  switch (comparison) {
    case Comparison::kLess:
      return ordered < 0;
    case Comparison::kLessOrEqual:
      return ordered <= 0;
    case Comparison::kGreater:
      return ordered > 0;
    default:
      return ordered >= 0;
  }
}

Result<bool> contains(Runtime& runtime, const Value& container, const Value& item) {
  if (container.is(Kind::kString)) {
    if (!item.is(Kind::kString)) return failure("'in <string>' requires string as left operand, not " + type_name(item));
    MIE_CHECK(runtime.scan(container.as_string().size()));
    return container.as_string().text().find(item.as_string().text()) != std::string::npos;
  }
  if (container.is(Kind::kDict)) {
    if (item.is(Kind::kList) || item.is(Kind::kDict)) return failure("unhashable type: '" + type_name(item) + "'");
    return container.as_dict().find(item) != nullptr;
  }
  if (!is_iterable(container)) return failure("argument of type '" + type_name(container) + "' is not iterable");
  MIE_TRY(const std::vector<Value> items, items_of(runtime, container));
  for (const Value& candidate : items) {
    MIE_TRY(const bool same, equal(runtime, candidate, item));
    if (same) return true;
  }
  return false;
}

}  // namespace mie::jinja
