// Expressions.
#include "core/text/jinja/access.h"
#include "core/text/jinja/dict.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/renderer.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/value_tests.h"

namespace mie::jinja {

Result<Value> Renderer::evaluate(const Expr& expr, Scope& scope) {
  const auto nesting = runtime_.nest_node();
  MIE_CHECK(runtime_.check_nesting());
  MIE_CHECK(runtime_.step());
  return std::visit([&](const auto& node) { return value_of(node, scope); }, expr.node);
}

Result<Value> Renderer::value_of(const Name& name, Scope& scope) {
  const Value* found = scope.find(name.name);
  return found == nullptr ? name.if_missing : *found;
}

Result<std::vector<Value>> Renderer::values_of(const std::vector<ExprPtr>& exprs, Scope& scope) {
  std::vector<Value> values;
  values.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) {
    MIE_TRY(Value value, evaluate(*expr, scope));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Value> Renderer::value_of(const ListDisplay& list, Scope& scope) {
  MIE_TRY(std::vector<Value> items, values_of(list.items, scope));
  return runtime_.container(Value::list(std::move(items)));
}

Result<Value> Renderer::value_of(const TupleDisplay& tuple, Scope& scope) {
  MIE_TRY(std::vector<Value> items, values_of(tuple.items, scope));
  return runtime_.container(Value::tuple(std::move(items)));
}

Result<Value> Renderer::value_of(const DictDisplay& display, Scope& scope) {
  Dict dict;
  for (const auto& [key_expr, value_expr] : display.entries) {
    MIE_TRY(Value key, evaluate(*key_expr, scope));
    MIE_TRY(Value value, evaluate(*value_expr, scope));
    if (!Dict::can_be_key(key)) return failure("unhashable type: '" + type_name(key) + "'");
    dict.set(std::move(key), std::move(value));
  }
  return runtime_.container(Value::dict(std::move(dict)));
}

Result<Value> Renderer::value_of(const Not& negation, Scope& scope) {
  MIE_TRY(const Value operand, evaluate(*negation.operand, scope));
  return Value::boolean(!truthy(operand));
}

Result<Value> Renderer::value_of(const Signed& number, Scope& scope) {
  MIE_TRY(const Value operand, evaluate(*number.operand, scope));
  if (operand.is(Kind::kUndefined)) return failure(operand.explanation());
  if (!is_number(operand))
    return failure(std::string("bad operand type for unary ") + (number.negative ? "-" : "+") + ": '" + type_name(operand) +
                   "'");
  if (number.negative) return negate(operand);
  const auto whole = integral(operand);
  return whole ? Value::integer(*whole) : operand;
}

Result<Value> Renderer::value_of(const Calculation& calculation, Scope& scope) {
  MIE_TRY(Value left, evaluate(*calculation.first, scope));
  for (const auto& [operation, operand] : calculation.rest) {
    MIE_TRY(const Value right, evaluate(*operand, scope));
    MIE_TRY(left, apply(runtime_, operation, left, right));
  }
  return left;
}

Result<Value> Renderer::value_of(const Concatenation& concatenation, Scope& scope) {
  MIE_TRY(const std::vector<Value> parts, values_of(concatenation.parts, scope));
  MarkedString joined;
  for (const Value& part : parts) {
    MIE_TRY(const MarkedString text, to_text(runtime_, part));
    MIE_CHECK(runtime_.text(text.size(), joined.size()));
    joined.append(text);
  }
  return Value::string(std::move(joined));
}

Result<bool> Renderer::related(Relation relation, const Value& left, const Value& right) {
  switch (relation) {
    case Relation::kEqual:
      return compare(runtime_, Comparison::kEqual, left, right);
    case Relation::kNotEqual:
      return compare(runtime_, Comparison::kNotEqual, left, right);
    case Relation::kLess:
      return compare(runtime_, Comparison::kLess, left, right);
    case Relation::kLessOrEqual:
      return compare(runtime_, Comparison::kLessOrEqual, left, right);
    case Relation::kGreater:
      return compare(runtime_, Comparison::kGreater, left, right);
    case Relation::kGreaterOrEqual:
      return compare(runtime_, Comparison::kGreaterOrEqual, left, right);
    case Relation::kIn:
      return contains(runtime_, right, left);
    case Relation::kNotIn:
      break;
  }
  MIE_TRY(const bool found, contains(runtime_, right, left));
  return !found;
}

Result<Value> Renderer::value_of(const Comparisons& comparisons, Scope& scope) {
  MIE_TRY(Value left, evaluate(*comparisons.first, scope));
  for (const auto& [relation, operand] : comparisons.rest) {
    MIE_TRY(Value right, evaluate(*operand, scope));
    MIE_TRY(const bool holds, related(relation, left, right));
    if (!holds) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Result<Value> Renderer::value_of(const And& all, Scope& scope) {
  Value value;
  for (const ExprPtr& operand : all.operands) {
    MIE_TRY(value, evaluate(*operand, scope));
    if (!truthy(value)) break;
  }
  return value;
}

Result<Value> Renderer::value_of(const Or& any, Scope& scope) {
  Value value;
  for (const ExprPtr& operand : any.operands) {
    MIE_TRY(value, evaluate(*operand, scope));
    if (truthy(value)) break;
  }
  return value;
}

Result<Value> Renderer::value_of(const Conditional& conditional, Scope& scope) {
  MIE_TRY(const Value holds, evaluate(*conditional.condition, scope));
  if (truthy(holds)) return evaluate(*conditional.then, scope);
  if (conditional.otherwise != nullptr) return evaluate(*conditional.otherwise, scope);
  return Value::undefined("the inline if-expression on line " + std::to_string(conditional.condition->line) +
                          " evaluated to false and no else section was defined.");
}

Result<Value> Renderer::value_of(const Chain& chain, Scope& scope) { return steps(chain, chain.steps.size(), scope); }

Result<Value> Renderer::steps(const Chain& chain, std::size_t n_steps, Scope& scope) {
  MIE_TRY(Value value, evaluate(*chain.base, scope));
  for (std::size_t i = 0; i < n_steps; ++i) {
    MIE_CHECK(runtime_.step());
    MIE_TRY(value, std::visit([&](const auto& node) { return step(node, value, scope); }, chain.steps[i]));
  }
  return value;
}

Result<Value> Renderer::step(const GetAttribute& get, const Value& value, Scope&) {
  return get_attribute(runtime_, value, get.name);
}

Result<Value> Renderer::step(const GetItem& get, const Value& value, Scope& scope) {
  MIE_TRY(const Value key, evaluate(*get.key, scope));
  return get_item(runtime_, value, key);
}

Result<Value> Renderer::step(const GetSlice& get, const Value& value, Scope& scope) {
  SliceBounds bounds{Value::none(), Value::none(), Value::none()};
  if (get.start != nullptr) {
    MIE_TRY(bounds.start, evaluate(*get.start, scope));
  }
  if (get.stop != nullptr) {
    MIE_TRY(bounds.stop, evaluate(*get.stop, scope));
  }
  if (get.step != nullptr) {
    MIE_TRY(bounds.step, evaluate(*get.step, scope));
  }
  return get_slice(runtime_, value, bounds);
}

Result<Value> Renderer::step(const Call& node, const Value& value, Scope& scope) {
  MIE_TRY(Arguments arguments, arguments_of(node.arguments, scope));
  return call(value, std::move(arguments));
}

Result<Value> Renderer::step(const ApplyFilter& apply, const Value& value, Scope& scope) {
  if (find_filter(apply.name) == nullptr) return failure("No filter named " + quoted(apply.name) + " found.");
  MIE_TRY(const Arguments arguments, arguments_of(apply.arguments, scope));
  return apply_filter(runtime_, apply.name, value, arguments);
}

Result<Value> Renderer::step(const ApplyTest& apply, const Value& value, Scope& scope) {
  if (find_test(apply.name) == nullptr) return failure("No test named " + quoted(apply.name) + " found.");
  MIE_TRY(const Arguments arguments, arguments_of(apply.arguments, scope));
  MIE_TRY(const bool passes, run_test(runtime_, apply.name, value, arguments));
  return Value::boolean(passes != apply.negated);
}

Result<Arguments> Renderer::arguments_of(const CallArguments& call_arguments, Scope& scope) {
  Arguments arguments;
  MIE_TRY(arguments.positional, values_of(call_arguments.positional, scope));
  for (const auto& [name, expr] : call_arguments.named) {
    MIE_TRY(Value value, evaluate(*expr, scope));
    arguments.named.emplace_back(name, std::move(value));
  }
  if (call_arguments.more_positional != nullptr) {
    MIE_TRY(const Value more, evaluate(*call_arguments.more_positional, scope));
    MIE_TRY(const std::vector<Value> items, items_of(runtime_, more));
    arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
  }
  if (call_arguments.more_named != nullptr) {
    MIE_TRY(const Value more, evaluate(*call_arguments.more_named, scope));
    if (!more.is(Kind::kDict)) return failure("argument after ** must be a mapping, not " + type_name(more));
    MIE_CHECK(runtime_.step(more.as_dict().size()));
    for (const auto& [key, value] : more.as_dict().entries()) {
      if (!key.is(Kind::kString)) return failure("keywords must be strings");
      arguments.named.emplace_back(key.as_string(), value);
    }
  }
  return arguments;
}

Result<Value> Renderer::call(const Value& callee, Arguments arguments) {
  if (callee.is(Kind::kUndefined)) return failure(callee.explanation());
  if (!callee.is(Kind::kObject) || !callee.as_object().callable())
    return failure("'" + type_name(callee) + "' object is not callable");
  return callee.as_object().call(runtime_, std::move(arguments));
}

}  // namespace mie::jinja
