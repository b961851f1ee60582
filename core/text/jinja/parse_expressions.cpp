#include "core/text/jinja/failure.h"
#include "core/text/jinja/parser.h"
#include "core/text/jinja/try.h"

#include <algorithm>
#include <array>

namespace mie::jinja {
namespace {

template <class Node>
ExprPtr make(int line, Node node) {
  return std::make_unique<const Expr>(Expr{line, std::move(node)});
}

}  // namespace

Result<ExprPtr> Parser::parse_expression(Conditionals conditionals) {
  const Level level(depth_);
  MIE_CHECK(check_nesting());
  return conditionals == Conditionals::kAllowed ? parse_conditional() : parse_or();
}

// One expression, or a tuple if commas follow; what ends a tuple ends it also after a comma.
Result<ExprPtr> Parser::parse_tuple(Conditionals conditionals, bool in_parentheses) {
  const int line = current().line;
  TupleDisplay tuple;
  bool has_comma = false;
  const auto at_end = [this] { return at(TokenType::kVariableEnd) || at(TokenType::kBlockEnd) || at_operator(")"); };
  while (!at_end()) {
    MIE_TRY(ExprPtr item, parse_expression(conditionals));
    tuple.items.push_back(std::move(item));
    if (!at_operator(",")) break;
    has_comma = true;
    advance();
  }
  if (!has_comma && !tuple.items.empty()) return std::move(tuple.items.front());
  if (!has_comma && !in_parentheses) return unexpected("expression");
  return make(line, std::move(tuple));
}

Result<ExprPtr> Parser::parse_conditional() {
  const int line = current().line;
  const std::size_t n_unknown = unknown_names_.size();
  MIE_TRY(ExprPtr value, parse_or());
  for (int n_chained = 1; skip_name("if"); ++n_chained) {  // "a if b if c" wraps what is on its left
    MIE_CHECK(check_nesting(n_chained));
    Conditional conditional;
    conditional.then = std::move(value);
    MIE_TRY(conditional.condition, parse_or());
    if (skip_name("else")) {
      MIE_TRY(conditional.otherwise, parse_expression());
    }
    for (std::size_t i = n_unknown; i < unknown_names_.size(); ++i) unknown_names_[i].conditional = true;
    value = make(line, std::move(conditional));
  }
  return value;
}

Result<ExprPtr> Parser::parse_or() {
  const int line = current().line;
  MIE_TRY(ExprPtr first, parse_and());
  if (!at_name("or")) return first;
  Or any;
  any.operands.push_back(std::move(first));
  while (skip_name("or")) {
    MIE_TRY(ExprPtr operand, parse_and());
    any.operands.push_back(std::move(operand));
  }
  return make(line, std::move(any));
}

Result<ExprPtr> Parser::parse_and() {
  const int line = current().line;
  MIE_TRY(ExprPtr first, parse_not());
  if (!at_name("and")) return first;
  And all;
  all.operands.push_back(std::move(first));
  while (skip_name("and")) {
    MIE_TRY(ExprPtr operand, parse_not());
    all.operands.push_back(std::move(operand));
  }
  return make(line, std::move(all));
}

Result<ExprPtr> Parser::parse_not() {
  if (!at_name("not")) return parse_comparison();
  const Level level(depth_);
  MIE_CHECK(check_nesting());
  const int line = advance().line;
  MIE_TRY(ExprPtr operand, parse_not());
  return make(line, Not{std::move(operand)});
}

Result<std::optional<Relation>> Parser::parse_relation() {
  constexpr std::array<std::pair<std::string_view, Relation>, 6> kRelations{{{"==", Relation::kEqual},
                                                                             {"!=", Relation::kNotEqual},
                                                                             {"<", Relation::kLess},
                                                                             {"<=", Relation::kLessOrEqual},
                                                                             {">", Relation::kGreater},
                                                                             {">=", Relation::kGreaterOrEqual}}};
  for (const auto& [op, relation] : kRelations)
    if (skip_operator(op)) return std::optional<Relation>(relation);
  if (skip_name("in")) return std::optional<Relation>(Relation::kIn);
  if (at_name("not") && ahead().type == TokenType::kName && ahead().text == "in") {
    advance();
    advance();
    return std::optional<Relation>(Relation::kNotIn);
  }
  return std::optional<Relation>();
}

Result<ExprPtr> Parser::parse_comparison() {
  const int line = current().line;
  MIE_TRY(ExprPtr first, parse_sum());
  Comparisons comparisons;
  for (;;) {
    MIE_TRY(const std::optional<Relation> relation, parse_relation());
    if (!relation) break;
    MIE_TRY(ExprPtr operand, parse_sum());
    comparisons.rest.emplace_back(*relation, std::move(operand));
  }
  if (comparisons.rest.empty()) return first;
  comparisons.first = std::move(first);
  return make(line, std::move(comparisons));
}

Result<ExprPtr> Parser::parse_calculation(std::initializer_list<std::pair<std::string_view, Arithmetic>> operators,
                                          Result<ExprPtr> (Parser::*operand)()) {
  const int line = current().line;
  MIE_TRY(ExprPtr first, (this->*operand)());
  Calculation calculation;
  for (;;) {
    const auto* const found =
        std::find_if(operators.begin(), operators.end(), [this](const auto& op) { return at_operator(op.first); });
    if (found == operators.end()) break;
    advance();
    MIE_TRY(ExprPtr next, (this->*operand)());
    calculation.rest.emplace_back(found->second, std::move(next));
  }
  if (calculation.rest.empty()) return first;
  calculation.first = std::move(first);
  return make(line, std::move(calculation));
}

Result<ExprPtr> Parser::parse_sum() {
  return parse_calculation({{"+", Arithmetic::kAdd}, {"-", Arithmetic::kSubtract}}, &Parser::parse_concatenation);
}

Result<ExprPtr> Parser::parse_concatenation() {
  const int line = current().line;
  MIE_TRY(ExprPtr first, parse_product());
  if (!at_operator("~")) return first;
  Concatenation concatenation;
  concatenation.parts.push_back(std::move(first));
  while (skip_operator("~")) {
    MIE_TRY(ExprPtr part, parse_product());
    concatenation.parts.push_back(std::move(part));
  }
  return make(line, std::move(concatenation));
}

Result<ExprPtr> Parser::parse_product() {
  return parse_calculation(
      {{"*", Arithmetic::kMultiply}, {"/", Arithmetic::kDivide}, {"//", Arithmetic::kFloorDivide}, {"%", Arithmetic::kModulo}},
      &Parser::parse_power);
}

Result<ExprPtr> Parser::parse_power() { return parse_calculation({{"**", Arithmetic::kPower}}, &Parser::parse_unary); }

Result<ExprPtr> Parser::parse_signed(Filters filters) {
  const int line = current().line;
  Chain chain;
  MIE_CHECK(parse_chain(chain, filters));
  if (chain.steps.empty()) return std::move(chain.base);
  return make(line, std::move(chain));
}

Result<void> Parser::parse_chain(Chain& chain, Filters filters) {
  const Level level(depth_);
  MIE_CHECK(check_nesting());
  const int line = current().line;
  if (at_operator("-") || at_operator("+")) {
    const bool negative = advance().text == "-";
    MIE_TRY(ExprPtr operand, parse_signed(Filters::kNotAllowed));
    chain.base = make(line, Signed{negative, std::move(operand)});
  } else {
    MIE_TRY(chain.base, parse_primary());
  }
  return parse_steps(chain, filters);
}

Result<ExprPtr> Parser::parse_name() {
  const Token& token = advance();
  const int line = token.line;
  if (token.text == "true" || token.text == "True") return make(line, Literal{Value::boolean(true)});
  if (token.text == "false" || token.text == "False") return make(line, Literal{Value::boolean(false)});
  if (token.text == "none" || token.text == "None") return make(line, Literal{Value::none()});
  note_name(token.text);
  return make(line, Name{token.text, Value::undefined(quoted(token.text) + " is undefined")});
}

Result<ExprPtr> Parser::parse_primary() {
  const Token& token = current();
  const int line = token.line;
  switch (token.type) {
    case TokenType::kName:
      return parse_name();
    case TokenType::kInteger:
      return make(line, Literal{Value::integer(advance().integer)});
    case TokenType::kReal:
      return make(line, Literal{Value::real(advance().real)});
    case TokenType::kString: {
      std::string text;  // literals side by side are one
      while (at(TokenType::kString)) text += advance().text;
      return make(line, Literal{Value::text(std::move(text))});
    }
    default:
      break;
  }
  if (at_operator("[")) return parse_list();
  if (at_operator("{")) return parse_dict();
  if (!skip_operator("(")) return unexpected("expression");
  MIE_TRY(ExprPtr inside, parse_tuple(Conditionals::kAllowed, /*in_parentheses=*/true));
  MIE_CHECK(expect_operator(")"));
  return inside;
}

Result<ExprPtr> Parser::parse_list() {
  const int line = advance().line;
  ListDisplay list;
  while (!at_operator("]")) {
    if (!list.items.empty()) MIE_CHECK(expect_operator(","));
    if (at_operator("]")) break;
    MIE_TRY(ExprPtr item, parse_expression());
    list.items.push_back(std::move(item));
  }
  MIE_CHECK(expect_operator("]"));
  return make(line, std::move(list));
}

Result<ExprPtr> Parser::parse_dict() {
  const int line = advance().line;
  DictDisplay dict;
  while (!at_operator("}")) {
    if (!dict.entries.empty()) MIE_CHECK(expect_operator(","));
    if (at_operator("}")) break;
    MIE_TRY(ExprPtr key, parse_expression());
    MIE_CHECK(expect_operator(":"));
    MIE_TRY(ExprPtr value, parse_expression());
    dict.entries.emplace_back(std::move(key), std::move(value));
  }
  MIE_CHECK(expect_operator("}"));
  return make(line, std::move(dict));
}

}  // namespace mie::jinja
