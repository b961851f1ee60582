// Walks a template's tree and writes its output. One renderer a render, used by the thread that renders.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/ast.h"
#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/runtime.h"
#include "core/text/jinja/scope.h"

#include <memory>
#include <span>
#include <vector>

namespace mie::jinja {

class Renderer {
 public:
  explicit Renderer(Runtime& runtime) : runtime_(runtime) {}

  Result<MarkedString> render(const Block& block, Scope& scope);

  // Runs a macro's body with `arguments`, in a scope inside of the one where it was defined. For Macro.
  Result<Value> call_macro(const MacroDefinition& macro, Scope& defined_in, Arguments arguments);

 private:
  enum class Flow { kOn, kBreak, kContinue };

  // A scope on the C++ stack that moves to kept_ at its end if a macro still refers to it.
  class OpenScope {
   public:
    OpenScope(Renderer& renderer, Scope& outer) : renderer_(renderer), scope_(std::make_unique<Scope>(outer)) {}
    ~OpenScope() { release(); }
    OpenScope(const OpenScope&) = delete;
    OpenScope& operator=(const OpenScope&) = delete;
    Scope& operator*() { return *scope_; }
    // Empty again, and a new one if the old one is still referred to.
    void restart(Scope& outer);

   private:
    void release();
    Renderer& renderer_;
    std::unique_ptr<Scope> scope_;
  };

  // Statements (render.cpp)
  Result<Flow> execute(const Block& block, Scope& scope);
  Result<Flow> run(const Text& text, Scope& scope);
  Result<Flow> run(const Print& print, Scope& scope);
  Result<Flow> run(const If& statement, Scope& scope);
  Result<Flow> run(const For& loop, Scope& scope);
  Result<Flow> run(const Set& set, Scope& scope);
  Result<Flow> run(const SetBlock& set, Scope& scope);
  Result<Flow> run(const DefineMacro& define, Scope& scope);
  Result<Flow> run(const CallBlock& block, Scope& scope);
  Result<Flow> run(const FilterBlock& block, Scope& scope);
  Result<Flow> run(const With& with, Scope& scope);
  Result<Flow> run(const Break&, Scope&) { return Flow::kBreak; }
  Result<Flow> run(const Continue&, Scope&) { return Flow::kContinue; }
  Result<bool> run_iterations(const For& loop, const std::vector<Value>& items, Scope& scope);
  Result<std::vector<Value>> chosen_items(const For& loop, Scope& scope);
  Result<Value> filtered_block(const Block& body, const std::vector<ApplyFilter>& filters, Scope& scope);
  Result<MarkedString> capture(const Block& block, Scope& scope);  // its output, instead of writing it
  Result<void> assign(const Target& target, const Value& value, Scope& scope);
  Result<void> assign_attribute(const AttributeTarget& target, const Value& value, Scope& scope);
  Result<void> unpack(const TupleTarget& target, const Value& value, Scope& scope);
  Result<void> write(const MarkedString& text);

  // Macros (macro.cpp)
  Result<void> bind_parameters(const MacroDefinition& macro, Arguments& arguments, Scope& scope);
  static Result<void> bind_extras(const MacroDefinition& macro, const Arguments& arguments, Scope& scope);

  // Expressions (evaluate.cpp)
  Result<Value> evaluate(const Expr& expr, Scope& scope);
  Result<Value> value_of(const Literal& literal, Scope&) { return literal.value; }
  Result<Value> value_of(const Name& name, Scope& scope);
  Result<Value> value_of(const ListDisplay& list, Scope& scope);
  Result<Value> value_of(const TupleDisplay& tuple, Scope& scope);
  Result<Value> value_of(const DictDisplay& dict, Scope& scope);
  Result<Value> value_of(const Chain& chain, Scope& scope);
  Result<Value> value_of(const Not& negation, Scope& scope);
  Result<Value> value_of(const Signed& number, Scope& scope);
  Result<Value> value_of(const Calculation& calculation, Scope& scope);
  Result<Value> value_of(const Concatenation& concatenation, Scope& scope);
  Result<Value> value_of(const Comparisons& comparisons, Scope& scope);
  Result<Value> value_of(const And& all, Scope& scope);
  Result<Value> value_of(const Or& any, Scope& scope);
  Result<Value> value_of(const Conditional& conditional, Scope& scope);
  Result<std::vector<Value>> values_of(const std::vector<ExprPtr>& exprs, Scope& scope);
  Result<bool> related(Relation relation, const Value& left, const Value& right);
  // One step of a chain from the value on its left.
  Result<Value> step(const GetAttribute& get, const Value& value, Scope& scope);
  Result<Value> step(const GetItem& get, const Value& value, Scope& scope);
  Result<Value> step(const GetSlice& get, const Value& value, Scope& scope);
  Result<Value> step(const Call& call, const Value& value, Scope& scope);
  Result<Value> step(const ApplyFilter& apply, const Value& value, Scope& scope);
  Result<Value> step(const ApplyTest& apply, const Value& value, Scope& scope);
  Result<Value> steps(const Chain& chain, std::size_t n_steps, Scope& scope);
  Result<Arguments> arguments_of(const CallArguments& call, Scope& scope);
  Result<Value> call(const Value& callee, Arguments arguments);

  Runtime& runtime_;
  MarkedString* out_ = nullptr;               // where output goes now
  std::vector<std::unique_ptr<Scope>> kept_;  // ended scopes that macros refer to
};

}  // namespace mie::jinja
