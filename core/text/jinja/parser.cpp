#include "core/text/jinja/parser.h"

#include "core/text/jinja/failure.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/try.h"
#include "core/text/jinja/value_tests.h"

#include <algorithm>

namespace mie::jinja {
namespace {

constexpr int kDeepest = 200;  // nodes inside one another; bounds the C++ stack of the parser and the renderer

std::string_view describe(TokenType type) {
  switch (type) {
    case TokenType::kText:
      return "template data / text";
    case TokenType::kVariableBegin:
      return "begin of print statement";
    case TokenType::kVariableEnd:
      return "end of print statement";
    case TokenType::kBlockBegin:
      return "begin of statement block";
    case TokenType::kBlockEnd:
      return "end of statement block";
    case TokenType::kName:
      return "name";
    case TokenType::kString:
      return "string";
    case TokenType::kInteger:
      return "integer";
    case TokenType::kReal:
      return "float";
    case TokenType::kOperator:
      return "operator";
    case TokenType::kEnd:
      return "end of template";
  }
  return {};
}

}  // namespace

Result<Block> Parser::parse_template() {
  MIE_TRY(Block block, parse_block({}));
  MIE_CHECK(check_unknown_names());
  return block;
}

Result<void> Parser::check_unknown_names() const {
  for (const UnknownName& unknown : unknown_names_)
    if (!unknown.conditional) return syntax_error(unknown.line, unknown.message);
  return {};
}

const Token& Parser::advance() {
  const Token& token = tokens_[at_];
  if (token.type != TokenType::kEnd) ++at_;
  return token;
}

bool Parser::at_operator(std::string_view op) const { return at(TokenType::kOperator) && current().text == op; }
bool Parser::at_name(std::string_view name) const { return at(TokenType::kName) && current().text == name; }

bool Parser::at_any_name(Names names) const {
  return at(TokenType::kName) && std::find(names.begin(), names.end(), current().text) != names.end();
}

bool Parser::skip_operator(std::string_view op) {
  const bool found = at_operator(op);
  if (found) advance();
  return found;
}

bool Parser::skip_name(std::string_view name) {
  const bool found = at_name(name);
  if (found) advance();
  return found;
}

Error Parser::error(const std::string& reason) const { return syntax_error(current().line, reason); }

Error Parser::unexpected(std::string_view wanted) const {
  const bool shown = at(TokenType::kName) || at(TokenType::kOperator);
  const std::string got = shown ? current().text : std::string(describe(current().type));
  return error("expected token '" + std::string(wanted) + "', got " + quoted(got));
}

Result<void> Parser::expect_operator(std::string_view op) {
  if (!skip_operator(op)) return unexpected(op);
  return {};
}

Result<void> Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) return unexpected(name);
  return {};
}

Result<void> Parser::expect(TokenType type) {
  if (!at(type)) return unexpected(describe(type));
  advance();
  return {};
}

Result<std::string> Parser::expect_identifier() {
  if (!at(TokenType::kName)) return unexpected("name");
  return advance().text;
}

Result<void> Parser::check_nesting(int n_more) const {
  if (depth_ + n_more > kDeepest) return error("nested more than " + std::to_string(kDeepest) + " deep");
  return {};
}

void Parser::note_filter(const std::string& name, int line) {
  if (find_filter(name) == nullptr)
    unknown_names_.push_back({line, "No filter named " + quoted(name) + ".", n_conditions_ > 0});
}

void Parser::note_test(const std::string& name, int line) {
  if (find_test(name) == nullptr) unknown_names_.push_back({line, "No test named " + quoted(name) + ".", n_conditions_ > 0});
}

// A macro takes extra arguments only if its body asks for them by one of these names.
void Parser::note_name(std::string_view name) {
  for (MacroDefinition* macro : macros_) {
    macro->uses_caller = macro->uses_caller || name == "caller";
    macro->uses_varargs = macro->uses_varargs || name == "varargs";
    macro->uses_kwargs = macro->uses_kwargs || name == "kwargs";
  }
}

}  // namespace mie::jinja
