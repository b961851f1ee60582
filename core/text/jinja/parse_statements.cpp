#include "core/text/jinja/failure.h"
#include "core/text/jinja/parser.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <array>

namespace mie::jinja {

Result<Block> Parser::parse_block(Names ends) {
  Block block;
  while (!at(TokenType::kEnd)) {
    const int line = current().line;
    if (at(TokenType::kText)) {
      block.push_back(Statement{line, Text{advance().text}});
    } else if (at(TokenType::kVariableBegin)) {
      advance();
      MIE_TRY(ExprPtr value, parse_tuple(Conditionals::kAllowed));
      MIE_CHECK(expect(TokenType::kVariableEnd));
      block.push_back(Statement{line, Print{std::move(value)}});
    } else {
      MIE_CHECK(expect(TokenType::kBlockBegin));
      if (at_any_name(ends)) return block;
      MIE_TRY(Statement statement, parse_statement());
      MIE_CHECK(expect(TokenType::kBlockEnd));
      block.push_back(std::move(statement));
    }
  }
  if (ends.size() != 0) {
    std::string wanted;
    for (const std::string_view end : ends) wanted += (wanted.empty() ? "'" : " or '") + std::string(end) + "'";
    return error("Unexpected end of template. The innermost block needs " + wanted + ".");
  }
  return block;
}

Result<Block> Parser::parse_body(Names ends) {
  const Level level(depth_);
  MIE_CHECK(check_nesting());
  skip_operator(":");
  MIE_CHECK(expect(TokenType::kBlockEnd));
  return parse_block(ends);
}

// A body with variables of its own; conditions around it no longer count (see UnknownName).
Result<Block> Parser::parse_scoped_body(Names ends) {
  const int n_conditions = std::exchange(n_conditions_, 0);
  Result<Block> body = parse_body(ends);
  n_conditions_ = n_conditions;
  return body;
}

Result<Block> Parser::parse_last_body(std::string_view end) {
  MIE_TRY(Block body, parse_scoped_body({end}));
  advance();
  return body;
}

Result<Statement> Parser::parse_statement() {
  using Parse = Result<Statement> (Parser::*)();
  constexpr std::array<std::pair<std::string_view, Parse>, 10> kStatements{{{"if", &Parser::parse_if},
                                                                            {"for", &Parser::parse_for},
                                                                            {"set", &Parser::parse_set},
                                                                            {"macro", &Parser::parse_macro},
                                                                            {"call", &Parser::parse_call_block},
                                                                            {"filter", &Parser::parse_filter_block},
                                                                            {"with", &Parser::parse_with},
                                                                            {"generation", &Parser::parse_generation},
                                                                            {"break", &Parser::parse_loop_control},
                                                                            {"continue", &Parser::parse_loop_control}}};
  if (!at(TokenType::kName)) return error("tag name expected");
  for (const auto& [name, parse] : kStatements)
    if (at_name(name)) return (this->*parse)();
  constexpr std::array<std::string_view, 7> kForPages{"block", "extends", "include", "import", "from", "autoescape", "print"};
  if (std::find(kForPages.begin(), kForPages.end(), current().text) != kForPages.end())
    return error("tag " + quoted(current().text) + " is not supported in a chat template");
  return error("Encountered unknown tag " + quoted(current().text) + ".");
}

Result<Statement> Parser::parse_if() {
  const int line = advance().line;
  If statement;
  ++n_conditions_;
  for (;;) {
    MIE_TRY(ExprPtr condition, parse_tuple(Conditionals::kNotAllowed));
    MIE_TRY(Block body, parse_body({"elif", "else", "endif"}));
    statement.branches.emplace_back(std::move(condition), std::move(body));
    if (!skip_name("elif")) break;
  }
  if (skip_name("else")) {
    MIE_TRY(statement.otherwise, parse_body({"endif"}));
  }
  advance();
  --n_conditions_;
  return Statement{line, std::move(statement)};
}

Result<Statement> Parser::parse_for() {
  const int line = advance().line;
  For loop;
  MIE_TRY(loop.target, parse_target(Attributes::kNotAllowed));
  MIE_CHECK(expect_name("in"));
  MIE_TRY(loop.iterable, parse_tuple(Conditionals::kNotAllowed));
  if (skip_name("if")) {
    MIE_TRY(loop.condition, parse_expression());
  }
  if (at_name("recursive")) return error("recursive loops are not supported");
  ++n_loops_;
  MIE_TRY(loop.body, parse_scoped_body({"endfor", "else"}));
  --n_loops_;
  if (skip_name("else")) {
    MIE_TRY(loop.otherwise, parse_scoped_body({"endfor"}));
  }
  advance();
  return Statement{line, std::move(loop)};
}

Result<Statement> Parser::parse_set() {
  const int line = advance().line;
  MIE_TRY(Target target, parse_target(Attributes::kAllowed));
  if (skip_operator("=")) {
    MIE_TRY(ExprPtr value, parse_tuple(Conditionals::kAllowed));
    return Statement{line, Set{std::move(target), std::move(value)}};
  }
  SetBlock statement;
  statement.target = std::move(target);
  MIE_TRY(statement.filters, parse_filters(/*pipe_first=*/true));
  MIE_TRY(statement.body, parse_last_body("endset"));
  return Statement{line, std::move(statement)};
}

// Filters that apply to a block: "|a|b" of a set block, "a|b" of a filter block.
Result<std::vector<ApplyFilter>> Parser::parse_filters(bool pipe_first) {
  std::vector<ApplyFilter> filters;
  bool more = pipe_first ? skip_operator("|") : true;
  while (more) {
    MIE_TRY(ApplyFilter filter, parse_filter());
    filters.push_back(std::move(filter));
    more = skip_operator("|");
  }
  return filters;
}

Result<Target> Parser::parse_one_target(Attributes attributes) {
  const Level level(depth_);
  MIE_CHECK(check_nesting());
  if (skip_operator("(")) {
    MIE_TRY(Target inner, parse_target(attributes));
    MIE_CHECK(expect_operator(")"));
    return inner;
  }
  if (at_any_name({"true", "false", "none", "True", "False", "None"})) return error("can't assign to 'const'");
  MIE_TRY(std::string name, expect_identifier());
  if (attributes == Attributes::kNotAllowed || !skip_operator(".")) return Target{NameTarget{std::move(name)}};
  MIE_TRY(std::string attribute, expect_identifier());
  return Target{AttributeTarget{std::move(name), std::move(attribute)}};
}

Result<Target> Parser::parse_target(Attributes attributes) {
  MIE_TRY(Target first, parse_one_target(attributes));
  if (!at_operator(",")) return first;
  TupleTarget tuple;
  tuple.targets.push_back(std::move(first));
  while (skip_operator(",")) {
    if (!at(TokenType::kName) && !at_operator("(")) break;
    if (at_name("in")) break;
    MIE_TRY(Target next, parse_one_target(attributes));
    tuple.targets.push_back(std::move(next));
  }
  return Target{std::move(tuple)};
}

Result<void> Parser::parse_signature(MacroDefinition& macro) {
  MIE_CHECK(expect_operator("("));
  while (!at_operator(")")) {
    if (!macro.parameters.empty()) MIE_CHECK(expect_operator(","));
    Parameter parameter;
    MIE_TRY(parameter.name, expect_identifier());
    if (skip_operator("=")) {
      MIE_TRY(parameter.otherwise, parse_expression());
    } else if (!macro.parameters.empty() && macro.parameters.back().otherwise != nullptr) {
      return error("non-default argument follows default argument");
    }
    macro.parameters.push_back(std::move(parameter));
  }
  return expect_operator(")");
}

Result<void> Parser::parse_macro_body(MacroDefinition& macro, std::string_view end) {
  macros_.push_back(&macro);
  const int n_loops = std::exchange(n_loops_, 0);
  MIE_TRY(macro.body, parse_last_body(end));
  n_loops_ = n_loops;
  macros_.pop_back();
  for (const Parameter& parameter : macro.parameters) {  // a parameter of that name is no special name
    macro.uses_caller = macro.uses_caller && parameter.name != "caller";
    macro.uses_varargs = macro.uses_varargs && parameter.name != "varargs";
    macro.uses_kwargs = macro.uses_kwargs && parameter.name != "kwargs";
  }
  return {};
}

Result<Statement> Parser::parse_macro() {
  const int line = advance().line;
  DefineMacro statement;
  MIE_TRY(statement.macro.name, expect_identifier());
  MIE_CHECK(parse_signature(statement.macro));
  MIE_CHECK(parse_macro_body(statement.macro, "endmacro"));
  return Statement{line, std::move(statement)};
}

Result<Statement> Parser::parse_call_block() {
  const int line = advance().line;
  CallBlock statement;
  statement.caller.name = "caller";
  if (at_operator("(")) MIE_CHECK(parse_signature(statement.caller));
  MIE_CHECK(parse_chain(statement.call, Filters::kAllowed));
  if (statement.call.steps.empty() || !std::holds_alternative<Call>(statement.call.steps.back()))
    return syntax_error(line, "expected call");
  MIE_CHECK(parse_macro_body(statement.caller, "endcall"));
  return Statement{line, std::move(statement)};
}

Result<Statement> Parser::parse_filter_block() {
  const int line = advance().line;
  FilterBlock statement;
  MIE_TRY(statement.filters, parse_filters(/*pipe_first=*/false));
  MIE_TRY(statement.body, parse_last_body("endfilter"));
  return Statement{line, std::move(statement)};
}

Result<Statement> Parser::parse_with() {
  const int line = advance().line;
  With statement;
  while (!at(TokenType::kBlockEnd)) {
    if (!statement.bindings.empty()) MIE_CHECK(expect_operator(","));
    MIE_TRY(Target target, parse_one_target(Attributes::kNotAllowed));
    MIE_CHECK(expect_operator("="));
    MIE_TRY(ExprPtr value, parse_expression());
    statement.bindings.emplace_back(std::move(target), std::move(value));
  }
  MIE_TRY(statement.body, parse_last_body("endwith"));
  return Statement{line, std::move(statement)};
}

// transformers' {% generation %}: marks what an assistant wrote, for training; rendered as it stands.
Result<Statement> Parser::parse_generation() {
  const int line = advance().line;
  With statement;
  MIE_TRY(statement.body, parse_last_body("endgeneration"));
  return Statement{line, std::move(statement)};
}

Result<Statement> Parser::parse_loop_control() {
  const Token& token = current();
  if (n_loops_ == 0) return error("'" + token.text + "' outside loop");
  advance();
  if (token.text == "break") return Statement{token.line, Break{}};
  return Statement{token.line, Continue{}};
}

}  // namespace mie::jinja
