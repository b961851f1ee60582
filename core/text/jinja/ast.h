// The tree that the parser makes and the renderer walks. Immutable after parsing; any thread. Chains of operators and of
// postfix steps are flat lists, so the depth of the tree is the nesting in the source and not its length.
#pragma once

#include "core/text/jinja/marked_string.h"
#include "core/text/jinja/number.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/value.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mie::jinja {

struct Expr;
using ExprPtr = std::unique_ptr<const Expr>;

struct Literal {
  Value value;
};
struct Name {
  std::string name;
  Value if_missing;  // undefined, with its explanation
};
struct ListDisplay {
  std::vector<ExprPtr> items;
};
struct TupleDisplay {
  std::vector<ExprPtr> items;
};
struct DictDisplay {
  std::vector<std::pair<ExprPtr, ExprPtr>> entries;
};

struct CallArguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<MarkedString, ExprPtr>> named;
  ExprPtr more_positional, more_named;  // *x, **x; null if absent
};
struct GetAttribute {
  std::string name;
};
struct GetItem {
  ExprPtr key;
};
struct GetSlice {
  ExprPtr start, stop, step;  // null if left out
};
struct Call {
  CallArguments arguments;
};
struct ApplyFilter {
  std::string name;
  CallArguments arguments;
};
struct ApplyTest {
  std::string name;
  CallArguments arguments;
  bool negated = false;
};
using Step = std::variant<GetAttribute, GetItem, GetSlice, Call, ApplyFilter, ApplyTest>;

struct Chain {  // base.attribute[item](call)|filter is test
  ExprPtr base;
  std::vector<Step> steps;
};
struct Not {
  ExprPtr operand;
};
struct Signed {  // -x, +x
  bool negative;
  ExprPtr operand;
};
struct Calculation {  // first + a - b, of one precedence, from the left
  ExprPtr first;
  std::vector<std::pair<Arithmetic, ExprPtr>> rest;
};
struct Concatenation {  // a ~ b ~ c
  std::vector<ExprPtr> parts;
};
enum class Relation { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kIn, kNotIn };
struct Comparisons {  // first < a <= b
  ExprPtr first;
  std::vector<std::pair<Relation, ExprPtr>> rest;
};
struct And {
  std::vector<ExprPtr> operands;
};
struct Or {
  std::vector<ExprPtr> operands;
};
struct Conditional {
  ExprPtr condition, then, otherwise;  // otherwise: null if left out
};

struct Expr {
  int line;
  std::variant<Literal, Name, ListDisplay, TupleDisplay, DictDisplay, Chain, Not, Signed, Calculation, Concatenation,
               Comparisons, And, Or, Conditional>
      node;
};

struct Statement;
using Block = std::vector<Statement>;

struct Target;
struct NameTarget {
  std::string name;
};
struct AttributeTarget {  // ns.attribute
  std::string space, attribute;
};
struct TupleTarget {
  std::vector<Target> targets;
};
struct Target {
  std::variant<NameTarget, AttributeTarget, TupleTarget> node;
};

struct Text {
  std::string text;
};
struct Print {
  ExprPtr value;
};
struct If {
  std::vector<std::pair<ExprPtr, Block>> branches;
  Block otherwise;
};
struct For {
  Target target;
  ExprPtr iterable, condition;  // condition: null if absent
  Block body, otherwise;
};
struct Set {
  Target target;
  ExprPtr value;
};
struct SetBlock {
  Target target;
  std::vector<ApplyFilter> filters;
  Block body;
};
struct Parameter {
  std::string name;
  ExprPtr otherwise;  // null if it has no default
};
struct MacroDefinition {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  bool uses_caller = false, uses_varargs = false, uses_kwargs = false;
};
struct DefineMacro {
  MacroDefinition macro;
};
struct CallBlock {
  MacroDefinition caller;
  Chain call;  // its last step is a Call
};
struct FilterBlock {
  std::vector<ApplyFilter> filters;
  Block body;
};
struct With {
  std::vector<std::pair<Target, ExprPtr>> bindings;
  Block body;
};
struct Break {};
struct Continue {};

struct Statement {
  int line;
  std::variant<Text, Print, If, For, Set, SetBlock, DefineMacro, CallBlock, FilterBlock, With, Break, Continue> node;
};

}  // namespace mie::jinja
