// What may follow a primary expression: attributes, items, calls, filters and tests.
#include "core/text/jinja/parser.h"
#include "core/text/jinja/try.h"

namespace mie::jinja {

Result<void> Parser::parse_steps(Chain& chain, Filters filters) {
  MIE_CHECK(parse_postfix(chain));
  while (filters == Filters::kAllowed) {
    if (at_operator("|")) {
      advance();
      MIE_TRY(ApplyFilter filter, parse_filter());
      chain.steps.emplace_back(std::move(filter));
    } else if (at_name("is")) {
      MIE_TRY(ApplyTest test, parse_test());
      chain.steps.emplace_back(std::move(test));
    } else if (at_operator("(")) {
      MIE_TRY(CallArguments arguments, parse_arguments());
      chain.steps.emplace_back(Call{std::move(arguments)});
    } else {
      break;
    }
  }
  return {};
}

Result<void> Parser::parse_postfix(Chain& chain) {
  for (;;) {
    if (at_operator(".")) {
      MIE_TRY(Step step, parse_dot());
      chain.steps.push_back(std::move(step));
    } else if (at_operator("[")) {
      MIE_TRY(Step step, parse_subscript());
      chain.steps.push_back(std::move(step));
    } else if (at_operator("(")) {
      MIE_TRY(CallArguments arguments, parse_arguments());
      chain.steps.emplace_back(Call{std::move(arguments)});
    } else {
      return {};
    }
  }
}

Result<Step> Parser::parse_dot() {
  advance();
  if (at(TokenType::kName)) return Step(GetAttribute{advance().text});
  if (!at(TokenType::kInteger)) return error("expected name or number");
  const Token& index = advance();
  return Step(GetItem{std::make_unique<const Expr>(Expr{index.line, Literal{Value::integer(index.integer)}})});
}

Result<Step> Parser::parse_subscript() {
  const int line = advance().line;
  if (at_operator(":")) return parse_slice(nullptr);
  TupleDisplay keys;
  while (!at_operator("]")) {
    if (!keys.items.empty()) MIE_CHECK(expect_operator(","));
    MIE_TRY(ExprPtr key, parse_expression());
    if (keys.items.empty() && at_operator(":")) return parse_slice(std::move(key));
    keys.items.push_back(std::move(key));
  }
  MIE_CHECK(expect_operator("]"));
  if (keys.items.size() == 1) return Step(GetItem{std::move(keys.items.front())});
  return Step(GetItem{std::make_unique<const Expr>(Expr{line, std::move(keys)})});
}

Result<Step> Parser::parse_slice(ExprPtr start) {
  GetSlice slice;
  slice.start = std::move(start);
  MIE_CHECK(expect_operator(":"));
  if (!at_operator(":") && !at_operator("]")) {
    MIE_TRY(slice.stop, parse_expression());
  }
  if (skip_operator(":") && !at_operator("]")) {
    MIE_TRY(slice.step, parse_expression());
  }
  MIE_CHECK(expect_operator("]"));
  return Step(std::move(slice));
}

// From the name on; dots may part it.
Result<ApplyFilter> Parser::parse_filter() {
  const int line = current().line;
  ApplyFilter filter;
  MIE_TRY(filter.name, expect_identifier());
  while (skip_operator(".")) {
    MIE_TRY(const std::string part, expect_identifier());
    filter.name += "." + part;
  }
  note_filter(filter.name, line);
  if (at_operator("(")) {
    MIE_TRY(filter.arguments, parse_arguments());
  }
  return filter;
}

Result<ApplyTest> Parser::parse_test() {
  const int line = advance().line;
  ApplyTest test;
  test.negated = skip_name("not");
  MIE_TRY(test.name, expect_identifier());
  while (skip_operator(".")) {
    MIE_TRY(const std::string part, expect_identifier());
    test.name += "." + part;
  }
  note_test(test.name, line);
  if (at_operator("(")) {
    MIE_TRY(test.arguments, parse_arguments());
    return test;
  }
  const bool begins_argument = at(TokenType::kName) || at(TokenType::kString) || at(TokenType::kInteger) ||
                               at(TokenType::kReal) || at_operator("[") || at_operator("{");
  if (!begins_argument || at_any_name({"else", "or", "and"})) return test;
  if (at_name("is")) return error("You cannot chain multiple tests with is");
  Chain argument;  // "x is divisibleby 3": a primary expression without filters
  const int argument_line = current().line;
  MIE_TRY(argument.base, parse_primary());
  MIE_CHECK(parse_postfix(argument));
  test.arguments.positional.push_back(argument.steps.empty()
                                          ? std::move(argument.base)
                                          : std::make_unique<const Expr>(Expr{argument_line, std::move(argument)}));
  return test;
}

Result<void> Parser::parse_argument(CallArguments& arguments) {
  const bool only_named_may_follow = arguments.more_positional != nullptr || arguments.more_named != nullptr;
  Error misplaced = error("invalid syntax for function call expression");
  if (skip_operator("*")) {
    if (only_named_may_follow) return misplaced;
    MIE_TRY(arguments.more_positional, parse_expression());
    return {};
  }
  if (skip_operator("**")) {
    if (arguments.more_named != nullptr) return misplaced;
    MIE_TRY(arguments.more_named, parse_expression());
    return {};
  }
  if (at(TokenType::kName) && ahead().type == TokenType::kOperator && ahead().text == "=") {
    if (arguments.more_named != nullptr) return misplaced;
    MarkedString name(advance().text, Origin::kTemplate);
    advance();
    MIE_TRY(ExprPtr value, parse_expression());
    arguments.named.emplace_back(std::move(name), std::move(value));
    return {};
  }
  if (only_named_may_follow || !arguments.named.empty()) return misplaced;
  MIE_TRY(ExprPtr value, parse_expression());
  arguments.positional.push_back(std::move(value));
  return {};
}

Result<CallArguments> Parser::parse_arguments() {
  MIE_CHECK(expect_operator("("));
  CallArguments arguments;
  for (bool first = true; !at_operator(")"); first = false) {
    if (!first) MIE_CHECK(expect_operator(","));
    if (at_operator(")")) break;
    MIE_CHECK(parse_argument(arguments));
  }
  MIE_CHECK(expect_operator(")"));
  return arguments;
}

}  // namespace mie::jinja
