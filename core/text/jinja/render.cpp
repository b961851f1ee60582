// Statements.
#include "core/text/jinja/access.h"
#include "core/text/jinja/failure.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/globals.h"
#include "core/text/jinja/loop.h"
#include "core/text/jinja/macro.h"
#include "core/text/jinja/python_format.h"
#include "core/text/jinja/renderer.h"
#include "core/text/jinja/try.h"

namespace mie::jinja {

void Renderer::OpenScope::release() {
  if (scope_->captured()) renderer_.kept_.push_back(std::move(scope_));
}

void Renderer::OpenScope::restart(Scope& outer) {
  if (!scope_->captured()) return scope_->clear();
  release();
  scope_ = std::make_unique<Scope>(outer);
}

Result<MarkedString> Renderer::render(const Block& block, Scope& scope) { return capture(block, scope); }

Result<MarkedString> Renderer::capture(const Block& block, Scope& scope) {
  MarkedString captured;
  MarkedString* const outer = std::exchange(out_, &captured);
  const Result<Flow> flow = execute(block, scope);
  out_ = outer;
  if (flow.has_error()) return flow.error();
  return captured;
}

Result<void> Renderer::write(const MarkedString& text) {
  MIE_CHECK(runtime_.text(text.size(), out_->size()));
  out_->append(text);
  return {};
}

Result<Renderer::Flow> Renderer::execute(const Block& block, Scope& scope) {
  const auto nesting = runtime_.nest_node();
  MIE_CHECK(runtime_.check_nesting());
  for (const Statement& statement : block) {
    MIE_CHECK(runtime_.step());
    MIE_TRY(const Flow flow, std::visit([&](const auto& node) { return run(node, scope); }, statement.node));
    if (flow != Flow::kOn) return flow;
  }
  return Flow::kOn;
}

Result<Renderer::Flow> Renderer::run(const Text& text, Scope&) {
  MIE_CHECK(runtime_.text(text.text.size(), out_->size()));
  out_->append(text.text);
  return Flow::kOn;
}

Result<Renderer::Flow> Renderer::run(const Print& print, Scope& scope) {
  MIE_TRY(const Value value, evaluate(*print.value, scope));
  MIE_TRY(const MarkedString text, to_text(runtime_, value));
  MIE_CHECK(write(text));
  return Flow::kOn;
}

Result<Renderer::Flow> Renderer::run(const If& statement, Scope& scope) {
  for (const auto& [condition, body] : statement.branches) {
    MIE_TRY(const Value holds, evaluate(*condition, scope));
    if (truthy(holds)) return execute(body, scope);
  }
  return execute(statement.otherwise, scope);
}

// What the loop visits, after its condition.
Result<std::vector<Value>> Renderer::chosen_items(const For& loop, Scope& scope) {
  MIE_TRY(const Value iterable, evaluate(*loop.iterable, scope));
  MIE_TRY(std::vector<Value> items, items_of(runtime_, iterable));
  if (loop.condition == nullptr) return items;
  std::vector<Value> chosen;
  OpenScope inner(*this, scope);
  for (Value& item : items) {
    MIE_CHECK(assign(loop.target, item, *inner));
    MIE_TRY(const Value wanted, evaluate(*loop.condition, *inner));
    if (truthy(wanted)) chosen.push_back(std::move(item));
  }
  return chosen;
}

Result<Renderer::Flow> Renderer::run(const For& loop, Scope& scope) {
  MIE_TRY(const std::vector<Value> items, chosen_items(loop, scope));
  MIE_TRY(const bool some_finished, run_iterations(loop, items, scope));
  if (some_finished) return Flow::kOn;
  OpenScope inner(*this, scope);
  return execute(loop.otherwise, *inner);
}

// Returns whether some iteration came to the end of the body: as in jinja2, one that is left by break or continue does not
// keep the loop from its else.
Result<bool> Renderer::run_iterations(const For& loop, const std::vector<Value>& items, Scope& scope) {
  Loop& state = runtime_.make<Loop>(items);
  OpenScope inner(*this, scope);
  bool some_finished = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    MIE_CHECK(runtime_.step());
    if (i != 0) inner.restart(scope);
    state.move_to(i);
    (*inner).set("loop", Value::object(state));
    MIE_CHECK(assign(loop.target, items[i], *inner));
    MIE_TRY(const Flow flow, execute(loop.body, *inner));
    if (flow == Flow::kBreak) break;
    some_finished = some_finished || flow == Flow::kOn;
  }
  state.end();
  return some_finished;
}

Result<void> Renderer::assign(const Target& target, const Value& value, Scope& scope) {
  if (const auto* name = std::get_if<NameTarget>(&target.node)) {
    scope.set(name->name, value);
    return {};
  }
  if (const auto* attribute = std::get_if<AttributeTarget>(&target.node)) return assign_attribute(*attribute, value, scope);
  return unpack(std::get<TupleTarget>(target.node), value, scope);
}

Result<void> Renderer::assign_attribute(const AttributeTarget& target, const Value& value, Scope& scope) {
  const Value* found = scope.find(target.space);
  auto* space = found != nullptr && found->is(Kind::kObject) ? dynamic_cast<Namespace*>(&found->as_object()) : nullptr;
  if (space == nullptr) return failure("cannot assign attribute on non-namespace object");
  MIE_CHECK(check_namespace_attribute(target.attribute));
  space->set(target.attribute, value);
  return {};
}

Result<void> Renderer::unpack(const TupleTarget& target, const Value& value, Scope& scope) {
  if (!is_iterable(value)) return failure("cannot unpack non-iterable " + type_name(value) + " object");
  MIE_TRY(const std::vector<Value> items, items_of(runtime_, value));
  const std::string wanted = std::to_string(target.targets.size());
  if (items.size() > target.targets.size()) return failure("too many values to unpack (expected " + wanted + ")");
  if (items.size() < target.targets.size())
    return failure("not enough values to unpack (expected " + wanted + ", got " + std::to_string(items.size()) + ")");
  for (std::size_t i = 0; i < items.size(); ++i) MIE_CHECK(assign(target.targets[i], items[i], scope));
  return {};
}

Result<Renderer::Flow> Renderer::run(const Set& set, Scope& scope) {
  MIE_TRY(const Value value, evaluate(*set.value, scope));
  MIE_CHECK(assign(set.target, value, scope));
  return Flow::kOn;
}

Result<Value> Renderer::filtered_block(const Block& body, const std::vector<ApplyFilter>& filters, Scope& scope) {
  OpenScope inner(*this, scope);
  MIE_TRY(MarkedString output, capture(body, *inner));
  Value value = Value::string(std::move(output));
  for (const ApplyFilter& filter : filters) {
    MIE_TRY(value, step(filter, value, *inner));
  }
  return value;
}

Result<Renderer::Flow> Renderer::run(const SetBlock& set, Scope& scope) {
  MIE_TRY(const Value value, filtered_block(set.body, set.filters, scope));
  MIE_CHECK(assign(set.target, value, scope));
  return Flow::kOn;
}

Result<Renderer::Flow> Renderer::run(const FilterBlock& block, Scope& scope) {
  MIE_TRY(const Value value, filtered_block(block.body, block.filters, scope));
  MIE_TRY(const MarkedString text, to_text(runtime_, value));
  MIE_CHECK(write(text));
  return Flow::kOn;
}

Result<Renderer::Flow> Renderer::run(const DefineMacro& define, Scope& scope) {
  scope.set(define.macro.name, Value::object(runtime_.make<Macro>(*this, define.macro, scope)));
  return Flow::kOn;
}

Result<Renderer::Flow> Renderer::run(const CallBlock& block, Scope& scope) {
  MIE_TRY(const Value callee, steps(block.call, block.call.steps.size() - 1, scope));
  MIE_TRY(Arguments arguments, arguments_of(std::get<Call>(block.call.steps.back()).arguments, scope));
  arguments.named.emplace_back(MarkedString("caller", Origin::kTemplate),
                               Value::object(runtime_.make<Macro>(*this, block.caller, scope)));
  MIE_TRY(const Value value, call(callee, std::move(arguments)));
  MIE_TRY(const MarkedString text, to_text(runtime_, value));
  MIE_CHECK(write(text));
  return Flow::kOn;
}

Result<Renderer::Flow> Renderer::run(const With& with, Scope& scope) {
  OpenScope inner(*this, scope);
  for (const auto& [target, expr] : with.bindings) {
    MIE_TRY(const Value value, evaluate(*expr, scope));
    MIE_CHECK(assign(target, value, *inner));
  }
  return execute(with.body, *inner);
}

}  // namespace mie::jinja
