// Tokens to tree, by jinja2's grammar. Used while a template is loaded; any thread, one parser a template.
#pragma once

#include "core/base/error.h"
#include "core/text/jinja/ast.h"
#include "core/text/jinja/token.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie::jinja {

class Parser {
 public:
  // REQUIRES: the last token is kEnd.
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // Errors: kModelFormat with the line.
  Result<Block> parse_template();

 private:
  using Names = std::initializer_list<std::string_view>;
  enum class Conditionals { kAllowed, kNotAllowed };  // "a if b else c" without parentheses
  enum class Filters { kAllowed, kNotAllowed };

  // Counts one level of nesting while it lives.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  // Tokens (parser.cpp)
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& advance();
  [[nodiscard]] bool at(TokenType type) const { return current().type == type; }
  [[nodiscard]] bool at_operator(std::string_view op) const;
  [[nodiscard]] bool at_name(std::string_view name) const;
  [[nodiscard]] bool at_any_name(Names names) const;
  bool skip_operator(std::string_view op);
  bool skip_name(std::string_view name);
  Result<void> expect_operator(std::string_view op);
  Result<void> expect_name(std::string_view name);
  Result<void> expect(TokenType type);
  Result<std::string> expect_identifier();
  [[nodiscard]] Error unexpected(std::string_view wanted) const;
  [[nodiscard]] Error error(const std::string& reason) const;
  Result<void> check_nesting(int n_more = 0) const;
  Result<void> check_unknown_names() const;
  void note_filter(const std::string& name, int line);
  void note_test(const std::string& name, int line);
  void note_name(std::string_view name);

  // Statements (parse_statements.cpp)
  Result<Block> parse_block(Names ends);  // stops at the name that ends it, inside of its tag
  Result<Block> parse_body(Names ends);   // from the end of the opening tag
  Result<Block> parse_scoped_body(Names ends);
  Result<Block> parse_last_body(std::string_view end);  // a scoped body and its end name
  Result<Statement> parse_statement();
  Result<Statement> parse_if();
  Result<Statement> parse_for();
  Result<Statement> parse_set();
  Result<Statement> parse_macro();
  Result<Statement> parse_call_block();
  Result<Statement> parse_filter_block();
  Result<Statement> parse_with();
  Result<Statement> parse_generation();
  Result<Statement> parse_loop_control();
  Result<void> parse_signature(MacroDefinition& macro);
  Result<void> parse_macro_body(MacroDefinition& macro, std::string_view end);
  enum class Attributes { kAllowed, kNotAllowed };
  Result<Target> parse_target(Attributes attributes);
  Result<Target> parse_one_target(Attributes attributes);
  Result<std::vector<ApplyFilter>> parse_filters(bool pipe_first);

  // Expressions, weakest operator first (parse_expressions.cpp)
  Result<ExprPtr> parse_expression(Conditionals conditionals = Conditionals::kAllowed);
  Result<ExprPtr> parse_tuple(Conditionals conditionals, bool in_parentheses = false);
  Result<ExprPtr> parse_conditional();
  Result<ExprPtr> parse_or();
  Result<ExprPtr> parse_and();
  Result<ExprPtr> parse_not();
  Result<ExprPtr> parse_comparison();
  Result<std::optional<Relation>> parse_relation();
  Result<ExprPtr> parse_sum();
  Result<ExprPtr> parse_concatenation();
  Result<ExprPtr> parse_product();
  Result<ExprPtr> parse_power();
  Result<ExprPtr> parse_calculation(std::initializer_list<std::pair<std::string_view, Arithmetic>> operators,
                                    Result<ExprPtr> (Parser::*operand)());
  Result<ExprPtr> parse_unary() { return parse_signed(Filters::kAllowed); }
  Result<ExprPtr> parse_signed(Filters filters);
  Result<void> parse_chain(Chain& chain, Filters filters);
  Result<ExprPtr> parse_primary();
  Result<ExprPtr> parse_name();
  Result<ExprPtr> parse_list();
  Result<ExprPtr> parse_dict();

  // What follows a primary expression (parse_steps.cpp)
  Result<void> parse_steps(Chain& chain, Filters filters);
  Result<void> parse_postfix(Chain& chain);
  Result<Step> parse_dot();
  Result<Step> parse_subscript();
  Result<Step> parse_slice(ExprPtr start);
  Result<ApplyFilter> parse_filter();
  Result<ApplyTest> parse_test();
  Result<CallArguments> parse_arguments();
  Result<void> parse_argument(CallArguments& arguments);

  // A filter or test that does not exist. As in jinja2 it is an error at once, unless it stands where a condition decides
  // whether it is reached; then it is an error when it is.
  struct UnknownName {
    int line;
    std::string message;
    bool conditional;
  };

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;         // expressions and statements inside one another
  int n_loops_ = 0;       // that break and continue may end
  int n_conditions_ = 0;  // around what is being parsed, inside the innermost scope
  std::vector<UnknownName> unknown_names_;
  std::vector<MacroDefinition*> macros_;  // being parsed, outermost first
};

}  // namespace mie::jinja
